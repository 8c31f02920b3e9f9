import type { EntityManager } from '@mikro-orm/postgresql';
import type { FileCounts } from '../../domain/upload-sessions/upload-session.ts';
import { failureKindSql } from '../files/failure-kind-sql.ts';

/**
 * The outcome of an item: exactly one each, so that total = completed + failed + skipped + pending always
 * holds. A file deleted before it ended is skipped; one that a cancellation kept from arriving or starting is
 * pending; a purged one keeps its outcome; a link that duplicates the page of another file is skipped. Needs
 * `i` (items), `f` (files, left joined) and `s` (sessions).
 */
export const ITEM_OUTCOME = `case
  when i.purged_as is not null then i.purged_as
  when i.state in ('rejected', 'missing') then 'failed'
  when i.state = 'skipped' then 'skipped'
  when i.state = 'uploading' then 'pending'
  when f.id is null then 'skipped'
  when f.primary_status in ('pending', 'processing') then
    case when f.deleted_at is null then 'pending' else 'skipped' end
  when s.status = 'cancelled' and f.primary_status = 'failed' and f.workflow_started_at is null then 'pending'
  when f.primary_status = 'failed' then case when f.duplicate_of is null then 'failed' else 'skipped' end
  else 'completed' end`;

/** Whether a run has begun on a file that has not ended. A cancellation ends all files that no run has begun. */
const WORKING = `f.primary_status in ('pending', 'processing')
  and (f.workflow_started_at is not null or s.status = 'cancelled')`;

/**
 * Whether a cancellation kept the file of an item from its results: it counts as failed if its work had begun, and as
 * pending if it had not.
 */
export const ITEM_CANCELLED = `coalesce(case (${ITEM_OUTCOME})
  when 'pending' then s.status = 'cancelled' and not coalesce(${WORKING}, false)
  when 'failed' then
    case when i.purged_as is not null then i.error->>'code' = 'CANCELLED'
      else i.state = 'stored' and ${failureKindSql('f.components')} = 'cancelled' end
  end, false)`;

/** Items with their session and, if they have one, their file. */
export const ITEMS_AND_FILES = `upload_session_items i
  join upload_sessions s on s.id = i.session_id
  left join files f on f.id = i.file_id and f.tenant_id = s.tenant_id`;

/** A stored file's share of its session's version; null without a file. */
export const FILE_VERSION = `f.generation::bigint * 4294967296 + f.seq + (f.deleted_at is not null)::int`;

export interface CountedFiles extends FileCounts {
  /** Begun and not ended: of the pending files of a cancelled session, the only ones that can still end. */
  inFlight: number;
  /** Kept from their results by a cancellation: some of the failed and of the pending ones. */
  cancelled: number;
  /** Increases with every change of the session, its items and its files, and with nothing else. */
  version: number;
}

type Counted = 'session_id' | 'in_flight' | 'cancelled' | 'version' | keyof FileCounts;

const NONE: CountedFiles = {
  total: 0,
  completed: 0,
  failed: 0,
  skipped: 0,
  pending: 0,
  inFlight: 0,
  cancelled: 0,
  version: 0,
};

/** Counts the files of sessions in one statement. */
export async function countFilesOfEach(
  em: EntityManager,
  sessionIds: readonly string[],
): Promise<Map<string, CountedFiles>> {
  const counted = new Map<string, CountedFiles>(sessionIds.map((id) => [id, NONE]));
  if (sessionIds.length === 0) return counted;
  const rows = await em.execute<Record<Counted, string>[]>(
    `select session_id, max(version) + count(*) + sum(change) as version, count(*) as total,
       count(*) filter (where outcome = 'completed') as completed,
       count(*) filter (where outcome = 'failed') as failed,
       count(*) filter (where outcome = 'skipped') as skipped,
       count(*) filter (where outcome = 'pending') as pending,
       count(*) filter (where outcome = 'pending' and working) as in_flight,
       count(*) filter (where cancelled) as cancelled
     from (
       select i.session_id, s.version, ${ITEM_OUTCOME} as outcome, ${WORKING} as working, ${ITEM_CANCELLED} as cancelled,
         (i.state <> 'uploading')::int + coalesce(i.purged_version, ${FILE_VERSION}, 0) as change
       from ${ITEMS_AND_FILES}
       where i.session_id in (${sessionIds.map(() => '?').join(', ')})) as items
     group by session_id`,
    [...sessionIds],
  );
  for (const row of rows) {
    const { version, total, completed, failed, skipped, pending, in_flight: inFlight, cancelled } = row;
    counted.set(row.session_id, {
      version: Number(version),
      total: Number(total),
      completed: Number(completed),
      failed: Number(failed),
      skipped: Number(skipped),
      pending: Number(pending),
      inFlight: Number(inFlight),
      cancelled: Number(cancelled),
    });
  }
  return counted;
}

export async function countFiles(em: EntityManager, sessionId: string): Promise<CountedFiles> {
  return (await countFilesOfEach(em, [sessionId])).get(sessionId) ?? NONE;
}
