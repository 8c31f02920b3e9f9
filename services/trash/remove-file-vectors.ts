import type { EntityManager } from '@mikro-orm/postgresql';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import type { PurgeCandidate } from '../../temporal/contract/purge-files.ts';
import { noteVectors } from '../media/index-entries.ts';
import { findPurgeCandidate } from './note-removal.ts';

/**
 * First step of a purge: removes leftover vectors of the files. Usually there are none, since the deletion removed
 * them. Idempotent.
 *
 * @throws VectorIndexError
 */
export async function removeFileVectors(
  { em, vectors, chunkVectors }: { em: EntityManager; vectors: VectorIndex; chunkVectors: VectorIndex },
  files: readonly PurgeCandidate[],
): Promise<void> {
  for (const index of [vectors, chunkVectors]) await removeFrom(index, em, files);
}

async function removeFrom(
  vectors: VectorIndex,
  em: EntityManager,
  files: readonly PurgeCandidate[],
): Promise<void> {
  for (const [tenantId, group] of Map.groupBy(files, (file) => file.tenantId)) {
    const fileIds: string[] = [];
    for (const file of group) if (await findPurgeCandidate(em, file)) fileIds.push(file.fileId);
    if ((await vectors.count({ tenantId, fileIds })) === 0) continue;
    for (const fileId of fileIds) {
      await noteVectors(em, fileId, await vectors.count({ tenantId, fileIds: [fileId] }));
    }
    await vectors.remove({ tenantId, fileIds });
  }
}
