import type { EntityManager } from '@mikro-orm/postgresql';
import { IMPORT_ITEM_STATUSES } from '../../domain/imports.ts';
import { BEFORE_ALL } from '../shared/sql.ts';

const PAGE = 1_000;
const AFTER_DAYS = 30;

/**
 * Removes items that ended a month ago, that this pass has not found, and that have no file of their own, or none any more: an
 * import that repeats for years would have ever more. One that comes back is found anew; the receipt of its file says
 * that it was removed.
 *
 * @param onStep called often
 */
export async function forgetItems(
  em: EntityManager,
  { importId, pass }: { importId: string; pass: number },
  onStep: () => void,
): Promise<void> {
  for (const status of IMPORT_ITEM_STATUSES.filter((each) => each !== 'pending'))
    for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
      const page: { id: string; is_old: boolean }[] = await em.execute(
        `select id, pass < ? and counted and ended_at < now() - make_interval(days => ?)
           and not exists (select from files where files.id = item.id) as is_old
         from import_items item where import_id = ? and status = ? and id > ? order by id limit ?`,
        [pass, AFTER_DAYS, importId, status, after, PAGE],
      );
      after = page.length < PAGE ? undefined : page.at(-1)?.id;
      const old = page.filter((item) => item.is_old).map(({ id }) => id);
      if (old.length > 0) await forget(em, importId, old);
      onStep();
    }
}

/** Except those that are to be tried again since. */
async function forget(em: EntityManager, importId: string, ids: readonly string[]): Promise<void> {
  await em.transactional(async (tx) => {
    await tx.execute('select 1 from imports where id = ? for update', [importId]);
    const gone: unknown[] = await tx.execute(
      `delete from import_items where status <> 'pending' and id in (select jsonb_array_elements_text(?::jsonb)::uuid)
       returning 1`,
      [JSON.stringify(ids)],
    );
    await tx.execute('update imports set forgotten = forgotten + ? where id = ?', [gone.length, importId]);
  });
}
