import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Data } from 'darkroom-client';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { byCode, client } from '../../lib/client.ts';
import { formatDateTime, formatNumber } from '../../lib/format.ts';
import { useMay } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { ReprocessingDialog } from './reprocessing-dialog.tsx';
import { WORK_TEXTS } from './texts.ts';
import { WorkActions, WorkEntry, WorkFacts, WorkList } from './work-entry.tsx';
import { useWorkPages } from './work-pages.ts';

const texts = WORK_TEXTS.reprocessing;
const FILES = 50;
const BUSY_MS = 5000;

type Reprocessing = Data<'/reprocessing', 'get'>['items'][number];
type Action = 'pause' | 'resume' | 'cancel' | 'rollback' | 'close';

const isUnderWay = ({ status }: Reprocessing) => status === 'processing' || status === 'rolling_back';

/** Reprocessings of the account, newest first, and a way to start one. */
export function ReprocessingTab() {
  const mayStart = useMay('editor');
  const [isStarting, setStarting] = useState(false);
  const list = useWorkPages(
    ['reprocessing', 'list'],
    async (query, signal) => (await client.api.GET('/reprocessing', { params: { query }, signal })).data,
    { isOpen: isUnderWay },
  );
  const start = mayStart && (
    <Button variant="primary" icon={RefreshCw} onClick={() => setStarting(true)}>
      {texts.start}
    </Button>
  );
  if (list.isPending) return <Skeleton lines={4} />;
  return (
    <div className="flex flex-col gap-4">
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && list.items.length === 0 && (
        <Empty icon={RefreshCw} title={texts.empty}>
          <p className="mb-4">{texts.emptyHint}</p>
          {start}
        </Empty>
      )}
      {list.items.length > 0 && (
        <>
          <div>{start}</div>
          <WorkList>
            {list.items.map((record) => (
              <ReprocessingEntry key={record.reprocessing_id} record={record} />
            ))}
          </WorkList>
        </>
      )}
      <MoreButton list={list} />
      <ReprocessingDialog open={isStarting} onClose={() => setStarting(false)} />
    </div>
  );
}

function ReprocessingEntry({ record }: { record: Reprocessing }) {
  const { completed, failed, skipped } = record.progress;
  return (
    <WorkEntry
      title={record.reason}
      notes={[
        formatDateTime(record.created_at),
        record.components.map((part) => texts.parts[part]).join(', '),
        texts.counts(completed + failed + skipped, record.total_files),
        failed > 0 && texts.failed(failed),
        skipped > 0 && texts.skipped(skipped),
      ]}
      status={record.status}
      progress={
        isUnderWay(record) || record.status === 'paused'
          ? { label: texts.progress, value: record.progress.percent, max: 100 }
          : undefined
      }
    >
      {() => <ReprocessingDetail record={record} />}
    </WorkEntry>
  );
}

function ReprocessingDetail({ record }: { record: Reprocessing }) {
  const { reprocessing_id: id, status, pause_reason: pause, closed_at: closed, progress } = record;
  const path = { reprocessing_id: id };
  const isOpen = status === 'processing' || status === 'paused';
  // What was described before is kept from the end until it is closed.
  const isKept = ['completed', 'cancelled', 'failed'].includes(status) && closed === null;
  return (
    <div className="flex flex-col gap-4 px-4 pt-1 pb-5">
      <p lang="en">{record.explanation}</p>
      {pause && <p className="text-muted">{byCode(pause.code, pause.message)}</p>}
      <WorkFacts
        facts={[
          isOpen && [texts.processing, formatNumber(progress.processing)],
          [texts.credits, formatNumber(record.estimated_credits)],
          record.completed_at !== null && [texts.ended, formatDateTime(record.completed_at)],
          isKept && record.closes_at !== null && [texts.kept, formatDateTime(record.closes_at)],
          record.restored_files > 0 && [texts.restored, formatNumber(record.restored_files)],
        ]}
      />
      <WorkActions
        changes={['reprocessing']}
        act={async (action: Action) => {
          await client.api.POST(`/reprocessing/{reprocessing_id}/${action}`, { params: { path } });
          return undefined;
        }}
        actions={[
          status === 'processing' && { action: 'pause', name: texts.pause },
          status === 'paused' && { action: 'resume', name: texts.resume },
          isOpen && {
            action: 'cancel',
            name: texts.cancel,
            question: { title: texts.cancelQuestion, text: texts.cancelNote, keep: texts.keep },
          },
          isKept && {
            action: 'rollback',
            name: texts.rollback,
            question: { title: texts.rollbackQuestion, text: texts.rollbackNote, keep: TEXTS.common.cancel },
          },
          isKept && {
            action: 'close',
            name: texts.accept,
            question: { title: texts.acceptQuestion, text: texts.acceptNote, keep: TEXTS.common.cancel },
          },
        ]}
      />
      <ReprocessedFiles record={record} />
    </div>
  );
}

function ReprocessedFiles({ record }: { record: Reprocessing }) {
  const { reprocessing_id: id, completed_at: endedAt } = record;
  const files = useInfiniteQuery({
    queryKey: ['reprocessing', 'files', id, endedAt],
    initialPageParam: '',
    queryFn: async ({ pageParam: cursor, signal }) => {
      const params = { path: { reprocessing_id: id }, query: { limit: FILES, ...(cursor && { cursor }) } };
      return (await client.api.GET('/reprocessing/{reprocessing_id}/files', { params, signal })).data;
    },
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: (former) => former,
    refetchInterval: isUnderWay(record) ? BUSY_MS : false,
  });
  if (files.isPending) return <Skeleton />;
  if (!files.data) return <ErrorNote error={files.error} onRetry={() => void files.refetch()} />;
  const shown = files.data.pages.flatMap(({ items }) => items);
  if (shown.length === 0) return <p className="text-sm text-muted">{texts.noFiles}</p>;
  return (
    <>
      <Table caption={texts.files} columns={texts.columns}>
        {shown.map((file) => (
          <tr key={file.file_id}>
            <Cell className="max-w-60">
              <Link
                to="/files/$fileId"
                params={{ fileId: file.file_id }}
                className="block truncate text-accent underline"
              >
                {file.filename}
              </Link>
            </Cell>
            <Cell>
              <StatusBadge status={file.status} />
              {file.error && (
                <span className="mt-1 block text-muted">{byCode(file.error.code, file.error.message)}</span>
              )}
            </Cell>
            <Cell className="min-w-48 text-muted">{file.description_before}</Cell>
            <Cell className="min-w-48">{file.description_after}</Cell>
          </tr>
        ))}
      </Table>
      <MoreButton list={files} />
    </>
  );
}
