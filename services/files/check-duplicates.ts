import type { EntityManager } from '@mikro-orm/postgresql';

export interface CheckedHashes {
  duplicates: { hash: string; fileId: string; filename: string }[];
  unique: string[];
}

/**
 * Which of these contents the tenant already has as live files; of several with the same content, the oldest is named.
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
