import type { EntityManager } from '@mikro-orm/postgresql';
import { ITEM_OUTCOME, ITEMS_AND_FILES } from './count-files.ts';

/** One file of a session in the fewest words. */
export interface FileStatus {
  index: number;
  filename: string;
  fileId: string | null;
  /** `uploading`, `rejected`, `missing`, `skipped`, or where the stored file stands. */
  status: string;
}

/** Where each file of a session stands, in the order in which they were sent. */
export async function readItemStatuses(em: EntityManager, sessionId: string): Promise<FileStatus[]> {
  const rows = await em.execute<
    { index: number; filename: string; file_id: string | null; status: string }[]
  >(
    `select i.index, i.filename, i.file_id,
       case when i.state <> 'stored' then i.state
         when (${ITEM_OUTCOME}) in ('skipped', 'pending') and f.primary_status not in ('pending', 'processing')
           then (${ITEM_OUTCOME})
         else coalesce(f.primary_status, i.purged_as, 'skipped') end as status
     from ${ITEMS_AND_FILES} where i.session_id = ? order by i.index`,
    [sessionId],
  );
  return rows.map(({ index, filename, file_id: fileId, status }) => ({ index, filename, fileId, status }));
}
