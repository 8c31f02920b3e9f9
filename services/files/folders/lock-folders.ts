import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Locks the tree of a tenant's folders until the transaction ends. Every creation, change and deletion of a folder or
 * project holds it, so that two moves cannot make a cycle together. Uploads do not.
 */
export async function lockFolderTree(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 2))', [tenantId]);
}

/**
 * Locks a folder against deletion until the transaction ends, so that a file can be put into it. Shared: other files
 * can be put there at the same time. Lock order everywhere: contents and files before folders, credits after them.
 *
 * @returns false when it is deleted, unknown or of another tenant
 */
export async function lockFolder(tx: EntityManager, tenantId: string, folderId: string): Promise<boolean> {
  const found: unknown[] = await tx.execute(
    'select 1 from folders where tenant_id = ? and id = ? and deleted_at is null for share',
    [tenantId, folderId],
  );
  return found.length > 0;
}
