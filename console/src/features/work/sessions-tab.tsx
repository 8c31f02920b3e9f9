import type { Data } from 'darkroom-client';
import { Upload } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { formatDateTime } from '../../lib/format.ts';
import { TEXTS } from '../../texts.ts';
import { SelectInput } from '../../ui/field.tsx';
import { Empty, ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { isOpenSession, SessionDetail } from './session-detail.tsx';
import { WORK_TEXTS } from './texts.ts';
import { WorkEntry, WorkList } from './work-entry.tsx';
import { useWorkPages } from './work-pages.ts';

const texts = WORK_TEXTS.sessions;
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
  const sessions = useWorkPages(
    ['sessions', 'list', status],
    async (page, signal) => {
      const query = { ...page, ...(status && { status }) };
      return (await client.api.GET('/files/sessions', { params: { query }, signal })).data;
    },
    { isOpen: isOpenSession },
  );
  if (sessions.isPending) return <Skeleton lines={5} />;
  const { items } = sessions;
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
        <WorkList>
          {items.map((session) => (
            <SessionEntry key={session.session_id} session={session} />
          ))}
        </WorkList>
      )}
      <MoreButton list={sessions} />
    </div>
  );
}

function SessionEntry({ session }: { session: Session }) {
  const ended = session.completed_files + session.failed_files + session.skipped_files;
  // Of the cancelled ones, those whose work had begun count as failed, the others as not ended.
  const failed = session.failed_files - Math.max(0, session.cancelled_files - (session.total_files - ended));
  const when = texts.show(formatDateTime(session.created_at));
  return (
    <WorkEntry
      title={
        session.first_filename === null ? when : texts.named(session.first_filename, session.total_files - 1)
      }
      notes={[
        session.first_filename !== null && when,
        session.started_by !== null && texts.by(session.started_by),
        texts.counts(ended, session.total_files),
        failed > 0 && texts.failed(failed),
        session.cancelled_files > 0 && texts.cancelled(session.cancelled_files),
        session.skipped_files > 0 && texts.skipped(session.skipped_files),
        texts.methods[session.upload_method],
      ]}
      status={session.outcome ?? session.status}
      progress={
        isOpenSession(session)
          ? { label: texts.progress, value: session.progress_percentage, max: 100 }
          : undefined
      }
    >
      {() => <SessionDetail id={session.session_id} />}
    </WorkEntry>
  );
}
