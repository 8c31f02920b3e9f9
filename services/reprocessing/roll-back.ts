import type { EntityManager } from '@mikro-orm/postgresql';
import type { ReprocessingTarget } from '../../temporal/contract/reprocess-files.ts';
import { lockReprocessing } from './find-reprocessing.ts';

const FILES_A_PAGE = 200;
const CLEANED_AT_ONCE = 5000;

/**
 * Puts the descriptions of the next files back that no later run has replaced, and removes the tags that came with them.
 * What people wrote stays. Idempotent: the place that was reached is written in the same transaction.
 *
 * @returns whether it was the last page, and how many descriptions were put back until now
 * @throws AppError NOT_FOUND
 */
export async function rollBackPage(
  em: EntityManager,
  target: ReprocessingTarget,
): Promise<{ done: boolean; restored: number }> {
  return em.transactional(async (tx) => {
    const row = await lockReprocessing(tx, target);
    if (row.status !== 'rolling_back') return { done: true, restored: row.restoredCount };
    const page = await tx.execute<{ id: string }[]>(
      `select file_id as id from reprocessing_files where reprocessing_id = ? and (?::uuid is null or file_id > ?::uuid)
       order by file_id limit ?`,
      [row.id, row.rollbackCursor ?? null, row.rollbackCursor ?? null, FILES_A_PAGE],
    );
    const last = page.at(-1)?.id;
    if (last !== undefined) {
      const restored: unknown[] = await tx.execute(
        `update files f set
           upload_description = r.description_before, described_at = r.described_at_before, updated_at = now(),
           tags = array(select tag from unnest(f.tags) with ordinality as each (tag, place)
             where tag <> all (d.tags) or tag = any (r.tags_before) order by place)
         from reprocessing_files r
         join file_descriptions d on d.file_id = r.file_id and d.generation = r.generation
         where r.reprocessing_id = ? and r.file_id = any (?::uuid[]) and f.id = r.file_id
           and r.description_before is not null
           and not exists (select from file_descriptions l where l.file_id = f.id and l.generation > r.generation)
         returning 1`,
        [row.id, `{${page.map(({ id }) => id).join(',')}}`],
      );
      row.restoredCount += restored.length;
      row.rollbackCursor = last;
    }
    const done = page.length < FILES_A_PAGE;
    if (done) Object.assign(row, { status: 'rolled_back', engineDueAt: null });
    return { done, restored: row.restoredCount };
  });
}

/** Closes reprocessings whose time is over, and removes the former descriptions of closed ones, a batch at a time. */
export async function removeFormerDescriptions(em: EntityManager): Promise<void> {
  const [due] = await em.execute<{ id: string }[]>(
    `update reprocessings set closed_at = coalesce(closed_at, now())
     where id = (select id from reprocessings where close_at < now() and status <> 'rolling_back' order by close_at limit 1)
     returning id`,
  );
  if (!due) return;
  const removed: unknown[] = await em.execute(
    `update reprocessing_files set description_before = null, described_at_before = null, tags_before = null
     where (reprocessing_id, file_id) in (
       select reprocessing_id, file_id from reprocessing_files
       where reprocessing_id = ? and tags_before is not null limit ?) returning 1`,
    [due.id, CLEANED_AT_ONCE],
  );
  if (removed.length < CLEANED_AT_ONCE)
    await em.execute('update reprocessings set close_at = null where id = ?', [due.id]);
}
