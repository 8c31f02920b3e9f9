import type { EntityManager } from '@mikro-orm/postgresql';

/** Of the components that ran again, the first that has a reason to show. */
const ERROR = `(select f.components->component->'error' from unnest(r.components) as component
  where f.components->component->'error' is not null limit 1)`;
const IS_FAILED = `exists (select from unnest(r.components) as component
  where f.components->component->>'status' <> 'completed' and f.components->component->>'cause' is distinct from 'by_request')`;

/**
 * Records the files of a reprocessing that have ended, by the components that ran again. Idempotent; at most as many as
 * may be in progress.
 *
 * @returns how many are still in progress
 */
export async function settleFiles(em: EntityManager, reprocessingId: string): Promise<number> {
  return em.fork().transactional(async (tx) => {
    // The order of locks of whoever opens a file.
    await tx.execute('select from reprocessings where id = ? for update', [reprocessingId]);
    const gone = { code: 'FILE_DELETED', message: 'the file was deleted meanwhile' };
    await tx.execute(
      `with ended as (
         update reprocessing_files r set
           status = case when f.deleted_at is not null or ${IS_FAILED} then 'failed' else 'completed' end,
           error = case when f.deleted_at is not null then ?::jsonb else ${ERROR} end,
           ended_at = now()
         from files f
         where r.reprocessing_id = ? and r.status = 'processing' and f.id = r.file_id
           and (f.primary_status not in ('pending', 'processing') or f.deleted_at is not null)
         returning r.status)
       update reprocessings set
         completed_count = completed_count + (select count(*) from ended where ended.status = 'completed'),
         failed_count = failed_count + (select count(*) from ended where ended.status = 'failed')
       where id = ? and exists (select from ended)`,
      [JSON.stringify(gone), reprocessingId, reprocessingId],
    );
    const [left] = await tx.execute<{ count: number }[]>(
      `select count(*)::int as count from reprocessing_files where reprocessing_id = ? and status = 'processing'`,
      [reprocessingId],
    );
    return left?.count ?? 0;
  });
}
