import type { EntityManager } from '@mikro-orm/postgresql';

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
 * of the account: two requests that change one family would otherwise wait for each other.
 *
 * @returns their ids
 */
export async function lockTree(tx: EntityManager, tenantId: string, fileId: string): Promise<string[]> {
  // The file first, in a statement of its own: the next one sees what was changed while its lock was awaited.
  await tx.execute('select from files where tenant_id = ? and id = ? for update', [tenantId, fileId]);
  const rows = await tx.execute<{ id: string }[]>(
    `${TREE} select files.id from tree join files on files.id = tree.id order by depth, files.id for update of files`,
    [tenantId, fileId],
  );
  return rows.map(({ id }) => id);
}
