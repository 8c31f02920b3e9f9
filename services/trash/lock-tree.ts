import type { EntityManager } from '@mikro-orm/postgresql';

/** Seed of these locks, so that they are no others of the account. */
const REMOVALS = 3;

/**
 * Locks what may be removed for good from an account until the transaction ends, before all other locks: `removals` for
 * claiming files, alone; `keeping` for holding or restoring them, beside others. Otherwise a claim of an attachment would not
 * see the hold of its e-mail that is not committed yet.
 */
export async function lockRemovals(
  tx: EntityManager,
  tenantId: string,
  by: 'removals' | 'keeping',
): Promise<void> {
  const lock = by === 'removals' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await tx.execute(`select ${lock}(hashtextextended(?, ${REMOVALS}))`, [tenantId]);
}

/** The same for removals, of those accounts where it need not be waited for. @returns the ids of those */
export async function tryLockRemovals(tx: EntityManager, tenantIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.execute<{ id: string; locked: boolean }[]>(
    `select id, pg_try_advisory_xact_lock(hashtextextended(id, ${REMOVALS})) as locked
     from jsonb_array_elements_text(?::jsonb) as id`,
    [JSON.stringify([...new Set(tenantIds)])],
  );
  return new Set(rows.filter(({ locked }) => locked).map(({ id }) => id));
}

/**
 * A file with its attachments, and theirs: those that are live as it is, or went to the trash with it. What it was divided
 * into is not among them. Each comes before what it contains.
 */
const TREE = `with recursive tree as (
    select id, sha256, deleted_at, 0 as depth from files where tenant_id = ? and id = ?
    union all
    select part.id, part.sha256, part.deleted_at, depth + 1 from tree join files part on part.parent_file_id = tree.id
      and part.parent_pages is null and part.deleted_at is not distinct from tree.deleted_at
  )`;

/** The contents of a file and its attachments, in an order in which they can be locked. */
export async function contentsOfTree(tx: EntityManager, tenantId: string, fileId: string): Promise<string[]> {
  const rows = await tx.execute<{ sha256: string }[]>(
    `${TREE} select distinct sha256 from tree order by sha256`,
    [tenantId, fileId],
  );
  return rows.map(({ sha256 }) => sha256);
}

/**
 * Locks the rows of a file and its attachments in the order in which everything locks several files, and before the credits
 * of the account. The file itself is locked already, so that its tree is that of now. Two requests that change one family would otherwise wait for each other.
 *
 * @returns their ids
 */
export async function lockTree(tx: EntityManager, tenantId: string, fileId: string): Promise<string[]> {
  const rows = await tx.execute<{ id: string }[]>(
    `${TREE} select files.id from tree join files on files.id = tree.id order by depth, files.id for update of files`,
    [tenantId, fileId],
  );
  return rows.map(({ id }) => id);
}
