import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { indexImages, type IndexImagesDeps } from './index-images.ts';
import { noteVectors } from './note-vectors.ts';

/**
 * Brings an image's entry in the similarity index in line with its row, when that is due: removed if it lies in the
 * trash, there if it does not. Safe to repeat.
 *
 * It is done only when the row is still on the side that was acted upon: an attempt that was held up for so long that
 * others have finished meanwhile puts right what it did too late.
 *
 * @throws VectorIndexError
 */
export async function syncImage(deps: IndexImagesDeps, fileId: string): Promise<void> {
  const { em, vectors } = deps;
  const read = () => em.findOne(StoredFile, { id: fileId }, { refresh: true });

  let file = await read();
  if (!file?.indexDueAt) return;
  while (file) {
    const { tenantId, deletedAt } = file;
    if (deletedAt) {
      // Before they go: the receipt of a purge counts them.
      await noteVectors(em, fileId, await vectors.count({ tenantId, fileIds: [fileId] }));
      await vectors.remove({ tenantId, fileIds: [fileId] });
    } else await indexImages(deps, [file]);
    const sameSide = { id: fileId, deletedAt: deletedAt ? { $ne: null } : null };
    const settled = await em.nativeUpdate(StoredFile, sameSide, { indexDueAt: null });
    if (settled > 0) return;
    file = await read();
  }
}
