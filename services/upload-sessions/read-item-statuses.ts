import type { EntityManager } from '@mikro-orm/postgresql';
import { PRIMARY_STATUSES } from '../../domain/primary-status.ts';
import { ITEM_OUTCOME, ITEMS_AND_FILES } from './count-files.ts';

/** The state of a file without a row, or the primary status of the stored file. */
export const ITEM_STATUSES = ['uploading', 'rejected', 'missing', 'skipped', ...PRIMARY_STATUSES] as const;

/** The status of one file of a session. */
export interface FileStatus {
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
