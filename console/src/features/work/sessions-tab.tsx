import { useInfiniteQuery } from '@tanstack/react-query';
import type { Data } from 'darkroom-client';
import { ChevronDown, ChevronRight, Upload } from 'lucide-react';
import { useId, useState } from 'react';
import { client } from '../../lib/client.ts';
import { formatDateTime } from '../../lib/format.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectInput } from '../../ui/field.tsx';
import { Empty, ErrorNote, Skeleton } from '../../ui/page.tsx';
import { ProgressBar, StatusBadge } from '../../ui/status.tsx';
import { isOpenSession, SessionDetail } from './session-detail.tsx';
import { WORK_TEXTS } from './texts.ts';

const texts = WORK_TEXTS.sessions;
const PAGE = 50;
const BUSY_MS = 5000;
const QUIET_MS = 20_000;
const STATUSES = [
  'pending',
  'uploading',
  'processing',
  'completed',
  'failed',
  'expired',
  'cancelled',
] as const;

type Session = Data<'/files/sessions', 'get'>['items'][number];
type SessionStatus = Session['status'];

/** Upload sessions, newest first; each opens to its details, which are live. */
export function SessionsTab() {
  const [status, setStatus] = useState<SessionStatus | ''>('');
  const sessions = useInfiniteQuery({
    queryKey: ['sessions', 'list', status],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, offset: pageParam, ...(status && { status }) };
      return (await client.api.GET('/files/sessions', { params: { query }, signal })).data;
    },
    getNextPageParam: ({ has_more: more, offset, items }) => (more ? offset + items.length : undefined),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpenSession)) ? BUSY_MS : QUIET_MS,
  });
  if (sessions.isPending) return <Skeleton lines={5} />;
  const items = sessions.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="flex flex-col gap-4">
      {sessions.error && <ErrorNote error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {(items.length > 0 || status) && (
        <div className="max-w-60">
          <SelectInput
            label={texts.status}
            value={status}
            options={[['', texts.all], ...STATUSES.map((name) => [name, TEXTS.status[name]] as const)]}
            onChange={({ target }) => setStatus(target.value as SessionStatus | '')}
          />
        </div>
      )}
      {items.length === 0 && !sessions.error && (
        <Empty icon={Upload} title={status ? texts.noneOfStatus : texts.empty}>
          {!status && texts.emptyHint}
        </Empty>
      )}
      {items.length > 0 && (
        <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
          {items.map((session) => (
            <SessionEntry key={session.session_id} session={session} />
          ))}
        </ul>
      )}
      {sessions.hasNextPage && (
        <Button busy={sessions.isFetchingNextPage} onClick={() => void sessions.fetchNextPage()}>
          {TEXTS.common.more}
        </Button>
      )}
    </div>
  );
}

function SessionEntry({ session }: { session: Session }) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  const ended = session.completed_files + session.failed_files + session.skipped_files;
  // Of the cancelled ones, those whose work had begun count as failed, the others as not ended.
  const failed = session.failed_files - Math.max(0, session.cancelled_files - (session.total_files - ended));
  const Icon = isShown ? ChevronDown : ChevronRight;
  const notes = [
    session.first_filename !== null && texts.show(formatDateTime(session.created_at)),
    session.started_by !== null && texts.by(session.started_by),
    texts.counts(ended, session.total_files),
    failed > 0 && texts.failed(failed),
    session.cancelled_files > 0 && texts.cancelled(session.cancelled_files),
    session.skipped_files > 0 && texts.skipped(session.skipped_files),
    texts.methods[session.upload_method],
  ];
  return (
    <li>
      <button
        type="button"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setShown(!isShown)}
        className="flex w-full items-center gap-x-4 px-4 py-3 text-left hover:bg-sunken focus-visible:-outline-offset-2"
      >
        <Icon aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 grow">
          <span className="block font-medium">
            {session.first_filename === null
              ? texts.show(formatDateTime(session.created_at))
              : texts.named(session.first_filename, session.total_files - 1)}
          </span>
          <span className="block text-sm text-muted">{notes.filter(Boolean).join(' · ')}</span>
        </span>
        <StatusBadge status={session.outcome ?? session.status} />
      </button>
      {isOpenSession(session) && !isShown && (
        <div className="px-4 pb-3">
          <ProgressBar label={texts.progress} value={session.progress_percentage} max={100} />
        </div>
      )}
      <div id={id}>{isShown && <SessionDetail id={session.session_id} />}</div>
    </li>
  );
}
