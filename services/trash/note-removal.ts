import type { EntityManager } from '@mikro-orm/postgresql';
import { FileRemoval } from '../../db/entities/trash/file-removal.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { PurgeCandidate } from '../../temporal/contract/purge-files.ts';

/** A file that a purge has taken; undefined when it is gone already. */
export async function findPurgeCandidate(
  em: EntityManager,
  { fileId, tenantId }: PurgeCandidate,
): Promise<StoredFile | undefined> {
  const removal = await em.findOne(FileRemoval, { fileId, beganAt: { $ne: null } });
  if (!removal) return undefined;
  const file = await em.findOne(StoredFile, { id: fileId, tenantId, deletedAt: { $ne: null } });
  return file ?? undefined;
}

/** Notes the vectors of a deleted file before they are removed; of several counts the highest stands. */
export async function noteVectors(em: EntityManager, fileId: string, vectors: number): Promise<void> {
  if (vectors === 0) return;
  // Under the lock of the row, so that a note cannot be left to a file that is being restored.
  await em.execute(
    `with trashed as (select id from files where id = ? and deleted_at is not null for update)
     insert into file_removals as noted (file_id, began_at, object_keys, vectors)
     select id, null, '{}', ? from trashed
     on conflict (file_id) do update set vectors = greatest(noted.vectors, excluded.vectors)`,
    [fileId, vectors],
  );
}

/** Notes objects of a doomed file before they are removed; each counts once. */
export async function noteObjects(em: EntityManager, fileId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await em.execute(
    `update file_removals set object_keys = array(select unnest(object_keys) union select jsonb_array_elements_text(?::jsonb))
     where file_id = ?`,
    [JSON.stringify(keys), fileId],
  );
}
