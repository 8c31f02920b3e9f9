import type { EntityManager } from '@mikro-orm/postgresql';
import { FileRemoval } from '../../db/entities/trash/file-removal.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { PurgeCandidate } from '../../temporal/contract/purge-files.ts';

/** A file that a purge has claimed; undefined when it is already gone. */
export async function findPurgeCandidate(
  em: EntityManager,
  { fileId, tenantId }: PurgeCandidate,
): Promise<StoredFile | undefined> {
  const removal = await em.findOne(FileRemoval, { fileId, beganAt: { $ne: null } });
  if (!removal) return undefined;
  const file = await em.findOne(StoredFile, { id: fileId, tenantId, deletedAt: { $ne: null } });
  return file ?? undefined;
}

/** Records objects of a claimed file before they are removed; each counts once. */
export async function noteObjects(em: EntityManager, fileId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await em.execute(
    `update file_removals set object_keys = array(select unnest(object_keys) union select jsonb_array_elements_text(?::jsonb))
     where file_id = ?`,
    [JSON.stringify(keys), fileId],
  );
}
