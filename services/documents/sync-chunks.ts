import { DocumentChunk } from '../../db/entities/documents/document-chunk.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { noteVectors } from '../similarity/note-vectors.ts';
import { indexDocument, markMissing, type ChunkIndexDeps } from './index-chunks.ts';

/**
 * Syncs the vectors of a document with its row: removed if it is in the trash, present if it is live. Idempotent.
 *
 * Repeats until the row is still in the state that was acted upon: an attempt delayed for so long that others have
 * finished meanwhile corrects its own stale write.
 *
 * @throws ModelError, VectorIndexError
 */
export async function syncChunks(deps: ChunkIndexDeps, fileId: string, signal: AbortSignal): Promise<void> {
  const { em, chunkVectors } = deps;
  const read = () => em.findOne(StoredFile, { id: fileId }, { refresh: true });
  for (let file = await read(); file;) {
    const { tenantId, deletedAt } = file;
    if (deletedAt) {
      // Before removing them: the receipt of a purge counts them.
      await noteVectors(em, fileId, await chunkVectors.count({ tenantId, fileIds: [fileId] }));
      // First the rows, so that an interrupted removal is not taken for an index that has everything.
      await em.nativeUpdate(DocumentChunk, { fileId }, { embeddingStatus: 'pending', collection: null });
      await chunkVectors.remove({ tenantId, fileIds: [fileId] });
    } else {
      // A run that began after a restore may have recorded vectors that the removal took.
      await markMissing(deps, file);
      await indexDocument(deps, file, signal);
    }
    file = await read();
    if (file && Boolean(file.deletedAt) === Boolean(deletedAt)) return;
  }
}
