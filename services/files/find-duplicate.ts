import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';

/** Locks this content in this tenant until the transaction ends, for adding it or searching for it. */
export async function lockContent(tx: EntityManager, tenantId: string, sha256: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`${tenantId}/${sha256}`]);
}

/**
 * The oldest live file of the tenant with this content; files in the trash do not count.
 *
 * @param exceptId a file that cannot be a duplicate of itself
 */
export async function findDuplicate(
  em: EntityManager,
  tenantId: string,
  sha256: string,
  exceptId?: string,
): Promise<StoredFile | null> {
  return em.findOne(
    StoredFile,
    { tenantId, sha256, deletedAt: null, ...(exceptId !== undefined && { id: { $ne: exceptId } }) },
    { orderBy: { createdAt: 'asc', id: 'asc' } },
  );
}
