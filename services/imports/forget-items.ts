import type { EntityManager } from '@mikro-orm/postgresql';
import { IMPORT_ITEM_STATUSES } from '../../domain/imports.ts';
import { BEFORE_ALL } from '../shared/sql.ts';
import { takeFromTotals } from './count-items.ts';
import { findImport, isCurrent, lockImport, type ImportRun } from './find-import.ts';

const PAGE = 1_000;
const AFTER_DAYS = 30;

/**
 * Removes items that ended a month ago, that this pass has not found, and that have no file of their own, or none any more: an
 * import that repeats for years would have ever more. They leave its totals. One that comes back is found anew; the receipt
 * of its file says that it was removed.
 *
 * @param onStep called often
 * @throws the reason of the signal
 */
export async function forgetItems(
  em: EntityManager,
  run: ImportRun,
  { pass, signal, onStep }: { pass: number; signal: AbortSignal; onStep: () => void },
): Promise<void> {
  for (const status of IMPORT_ITEM_STATUSES.filter((each) => each !== 'pending'))
    for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
      signal.throwIfAborted();
      if (!isCurrent(await findImport(em.fork(), run), run)) return;
      const page: { id: string; is_old: boolean }[] = await em.execute(
        `select id, pass < ? and counted and ended_at < now() - make_interval(days => ?)
           and not exists (select from files where files.id = item.id) as is_old
         from import_items item where import_id = ? and status = ? and id > ? order by id limit ?`,
        [pass, AFTER_DAYS, run.importId, status, after, PAGE],
      );
      after = page.length < PAGE ? undefined : page.at(-1)?.id;
      const ids = page.filter((item) => item.is_old).map(({ id }) => id);
      if (ids.length > 0) await forget(em.fork(), run, { ids, pass });
      onStep();
    }
}

/** Except those that were found, or are to be tried again, since. */
async function forget(em: EntityManager, run: ImportRun, at: { ids: string[]; pass: number }): Promise<void> {
  await em.transactional(async (tx) => {
    const row = await lockImport(tx, run);
    if (isCurrent(row, run)) await takeFromTotals(tx, row, at);
  });
}
