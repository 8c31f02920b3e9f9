import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSessionItem } from '../../db/entities/upload-sessions/upload-session-item.ts';
import { entries, firstFailure, type FailureReason } from '../../domain/components.ts';
import type { ItemOutcomeName } from '../../domain/upload-sessions/upload-session.ts';
import { ITEM_CANCELLED, ITEM_OUTCOME, ITEMS_AND_FILES } from './count-files.ts';
import { PRIMARY_STATUSES } from '../../domain/primary-status.ts';

/** The state of a file without a row, or the primary status of the stored file. */
export const ITEM_STATUSES = ['uploading', 'rejected', 'missing', 'skipped', ...PRIMARY_STATUSES] as const;

/** One file of a session: how it arrived, and its outcome. */
export interface UploadSessionEntry {
  item: UploadSessionItem;
  outcome: ItemOutcomeName;
  /** Whether a cancellation kept it from its results. */
  cancelled: boolean;
  /** Absent if it was never stored, or has been purged. */
  file?: StoredFile;
}

/** A selection of a session's items, in terms of ITEMS_AND_FILES; never contains client input. */
export interface ItemQuery {
  where: string;
  orderBy: string;
  limit: number;
  offset: number;
}

/** Items of one session with their files, in at most three statements. */
export async function readItems(
  em: EntityManager,
  sessionId: string,
  { where, orderBy, limit, offset }: ItemQuery,
): Promise<UploadSessionEntry[]> {
  const rows = await em.execute<{ index: number; outcome: ItemOutcomeName; cancelled: boolean }[]>(
    `select i.index, ${ITEM_OUTCOME} as outcome, ${ITEM_CANCELLED} as cancelled from ${ITEMS_AND_FILES}
     where i.session_id = ? and (${where}) order by ${orderBy} limit ? offset ?`,
    [sessionId, limit, offset],
  );
  if (rows.length === 0) return [];
  const items = await em.find(
    UploadSessionItem,
    { sessionId, index: { $in: rows.map(({ index }) => index) } },
    { refresh: true },
  );
  const ids = items.flatMap(({ fileId }) => (fileId ? [fileId] : []));
  const files = await em.find(StoredFile, { id: { $in: ids } }, { refresh: true });
  return rows.flatMap(({ index, outcome, cancelled }) => {
    const item = items.find((candidate) => candidate.index === index);
    if (!item) return [];
    const file = files.find(({ id }) => id === item.fileId);
    return [{ item, outcome, cancelled, ...(file && { file }) }];
  });
}

/** Why a file of a session failed, or failed in part; undefined when it did not. */
export function failureOf({ item, cancelled, file }: UploadSessionEntry): FailureReason | undefined {
  if (item.error) return item.error;
  if (cancelled) return CANCELLED;
  if (item.state !== 'stored' || !file) return undefined;
  const [, troubled] = firstFailure(file) ?? [];
  if (troubled) return troubled.error ?? { code: 'INTERNAL', message: 'unknown failure' };
  const cut = entries(file.components).some(([, { cause }]) => cause === 'cancelled');
  return cut ? CANCELLED : undefined;
}

const CANCELLED: FailureReason = { code: 'CANCELLED', message: 'the work was cancelled' };

/** From the creation of a file's row to the end of its last component; null while it is in progress. */
export function processingTimeMs({ item, file }: UploadSessionEntry): number | null {
  if (item.state !== 'stored' || !file) return null;
  const ends = entries(file.components).flatMap(([, { endedAt }]) => (endedAt ? [Date.parse(endedAt)] : []));
  return ends.length > 0 ? Math.max(0, Math.max(...ends) - file.createdAt.getTime()) : null;
}

/** The status of one file of a session. */
interface FileStatus {
  index: number;
  filename: string;
  fileId: string | null;
  status: (typeof ITEM_STATUSES)[number];
}

/** The status of each file of a session, in upload order. */
export async function readItemStatuses(em: EntityManager, sessionId: string): Promise<FileStatus[]> {
  const rows = await em.execute<
    { index: number; filename: string; file_id: string | null; status: FileStatus['status'] }[]
  >(
    `select i.index, i.filename, i.file_id,
       case when i.state = 'uploading' and s.status = 'cancelled' then 'pending'
         when i.state <> 'stored' then i.state
         when (${ITEM_OUTCOME}) in ('skipped', 'pending') and f.primary_status not in ('pending', 'processing')
           then (${ITEM_OUTCOME})
         else coalesce(f.primary_status, i.purged_as, 'skipped') end as status
     from ${ITEMS_AND_FILES} where i.session_id = ? order by i.index`,
    [sessionId],
  );
  return rows.map(({ index, filename, file_id: fileId, status }) => ({ index, filename, fileId, status }));
}
