import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';

/** Locks this content in this tenant until the transaction ends, for adding it or searching for it. */
export async function lockContent(tx: EntityManager, tenantId: string, sha256: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`${tenantId}/${sha256}`]);
}

/**
 * The oldest live file of the tenant with this content; files in the trash do not count.
 *
 * @param exceptId the file itself, which is not its own duplicate
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

interface CheckedHashes {
  duplicates: { hash: string; fileId: string; filename: string }[];
  unique: string[];
}

/**
 * Which of these contents the tenant already has as live files; the oldest file of each content.
 *
 * @param hashes SHA-256, lower-case hex, each once
 */
export async function checkDuplicates(
  em: EntityManager,
  tenantId: string,
  hashes: readonly string[],
): Promise<CheckedHashes> {
  const found = await em.execute<{ sha256: string; id: string; filename: string }[]>(
    `select distinct on (sha256) sha256, id, filename from files
     where tenant_id = ? and sha256 in (${hashes.map(() => '?').join()}) and deleted_at is null
     order by sha256, created_at, id`,
    [tenantId, ...hashes],
  );
  const owners = new Map(found.map((file) => [file.sha256, file]));
  return {
    duplicates: hashes.flatMap((hash) => {
      const file = owners.get(hash);
      return file ? [{ hash, fileId: file.id, filename: file.filename }] : [];
    }),
    unique: hashes.filter((hash) => !owners.has(hash)),
  };
}
