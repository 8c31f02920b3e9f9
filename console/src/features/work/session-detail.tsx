import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Data, LiveEvent } from 'darkroom-client';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { LANGUAGE } from '../../lib/language.ts';
import { formatAgo, formatDateTime, formatNumber } from '../../lib/format.ts';
import { useLive } from '../../lib/live.ts';
import { TEXTS } from '../../texts.ts';
import { ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { ProgressBar, StatusBadge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { WORK_TEXTS } from './texts.ts';
import { WorkActions, WorkFacts } from './work-entry.tsx';

const texts = WORK_TEXTS.sessions;
const PAGE = 100;
const POLL_MS = 4000;

type SessionRecord = Data<'/files/sessions/{session_id}/status', 'get'>;

export const isOpenSession = ({ status }: Pick<SessionRecord, 'status'>): boolean =>
  status === 'pending' || status === 'uploading' || status === 'processing';

/** One upload session: its counts as they change, what can be done with it, and its files. */
export function SessionDetail({ id }: { id: string }) {
  const queries = useQueryClient();
  const key = ['sessions', 'status', id];
  const params = { path: { session_id: id } };
  const [isLive, setLive] = useState(false);
  const session = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      (await client.api.GET('/files/sessions/{session_id}/status', { params, signal })).data,
    refetchInterval: ({ state }) => (!isLive && state.data && isOpenSession(state.data) ? POLL_MS : false),
  });
  const isOpen = session.data !== undefined && isOpenSession(session.data);
  useLive(isOpen ? `/files/sessions/${id}` : null, {
    onEvent: (event: LiveEvent) => {
      setLive(true);
      const { data } = event.data as { data: SessionRecord | { file_id: string } };
      if ('total_files' in data) queries.setQueryData(key, data);
      if (event.type === 'batch.terminal') void queries.invalidateQueries({ queryKey: ['sessions'] });
    },
    onEnd: () => setLive(false),
  });
  if (session.isPending) return <div className="p-4">{<Skeleton />}</div>;
  if (!session.data) return <ErrorNote error={session.error} onRetry={() => void session.refetch()} />;
  const record = session.data;
  const ended = record.total_files - record.pending_files;
  return (
    <div className="flex flex-col gap-4 px-4 pt-1 pb-5">
      <div className={isOpen ? 'flex flex-col gap-1.5' : 'hidden'}>
        <p className="flex flex-wrap items-center justify-between gap-2 text-sm">
          <span role="status">
            {texts.counts(ended, record.total_files)}
            {record.paused && ` · ${TEXTS.status.paused}`}
          </span>
          <span className="text-muted">{isLive ? texts.live : texts.notLive}</span>
        </p>
        <ProgressBar label={texts.progress} value={record.progress_percentage} max={100} />
      </div>
      <WorkFacts
        facts={[
          isOpen && [texts.pending, formatNumber(record.pending_files)],
          isOpen && [texts.inFlight, formatNumber(record.in_flight_files)],
          record.started_at !== null && [texts.started, formatDateTime(record.started_at)],
          record.completed_at !== null && [texts.ended, formatDateTime(record.completed_at)],
          record.estimated_completion_time !== null && [
            texts.estimate,
            formatAgo(record.estimated_completion_time),
          ],
        ]}
      />
      {record.error_message !== null && <p className="text-bad">{record.error_message}</p>}
      <SessionActions record={record} />
      <SessionFiles id={id} version={ended} />
    </div>
  );
}

function SessionActions({ record }: { record: SessionRecord }) {
  const params = { path: { session_id: record.session_id } };
  const isOpen = isOpenSession(record);
  const act = async (action: 'pause' | 'resume' | 'cancel' | 'retry') => {
    if (action === 'retry') {
      const { data } = await client.api.POST('/files/sessions/{session_id}/retry-failed', { params });
      return texts.retried(data.retried_files);
    }
    await client.api.POST(`/files/sessions/{session_id}/${action}`, { params });
    return undefined;
  };
  return (
    <WorkActions
      act={act}
      changes={['sessions']}
      actions={[
        isOpen && !record.paused && { action: 'pause', name: texts.pause },
        isOpen && record.paused && { action: 'resume', name: texts.resume },
        record.failed_files > 0 && record.status !== 'cancelled' && { action: 'retry', name: texts.retry },
        isOpen && {
          action: 'cancel',
          name: texts.cancel,
          question: { title: texts.cancelQuestion, text: texts.cancelNote, keep: texts.keep },
        },
      ]}
    />
  );
}

/** @param version changes when further files have ended */
function SessionFiles({ id, version }: { id: string; version: number }) {
  const results = useInfiniteQuery({
    queryKey: ['sessions', 'results', id, version],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const params = { path: { session_id: id }, query: { limit: PAGE, offset: pageParam } };
      return (await client.api.GET('/files/sessions/{session_id}/results', { params, signal })).data;
    },
    getNextPageParam: ({ has_more: more, offset, results: page }) =>
      more ? offset + page.length : undefined,
    placeholderData: (former) => former,
  });
  if (results.isPending) return <Skeleton />;
  if (!results.data) return <ErrorNote error={results.error} onRetry={() => void results.refetch()} />;
  const files = results.data.pages.flatMap((page) => page.results);
  if (files.length === 0) return <p className="text-sm text-muted">{texts.noFiles}</p>;
  return (
    <>
      <Table caption={texts.files} columns={texts.columns}>
        {files.map((file, index) => (
          <tr key={index}>
            <Cell className="max-w-72">
              {file.file_id === null ? (
                <span className="block truncate">{file.filename}</span>
              ) : (
                <Link
                  to="/files/$fileId"
                  params={{ fileId: file.file_id }}
                  className="block truncate text-accent underline"
                >
                  {file.filename}
                </Link>
              )}
            </Cell>
            <Cell>
              <StatusBadge status={file.failure_kind === 'cancelled' ? 'cancelled' : file.status} />
            </Cell>
            <Cell className="min-w-48 text-muted wrap-anywhere">
              {LANGUAGE === 'en' || file.failure_kind === null
                ? file.error_message
                : TEXTS.failureKinds[file.failure_kind]}
            </Cell>
          </tr>
        ))}
      </Table>
      <MoreButton list={results} />
    </>
  );
}
