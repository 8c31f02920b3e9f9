import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { indexImages, type IndexImagesDeps } from './index-images.ts';
import { noteVectors } from './note-vectors.ts';

/**
 * Brings an image's entry in the similarity index in line with its row: removed if it lies in the trash, there if it is
 * live and described. Safe to repeat.
 *
 * It is done only when the row is still on the side that was acted upon: an attempt that was held up for so long that
 * others have finished meanwhile puts right what it did too late.
 *
 * @throws VectorIndexError
 */
export async function syncImage(deps: IndexImagesDeps, fileId: string): Promise<void> {
  const { em, vectors } = deps;
  const read = () => em.findOne(StoredFile, { id: fileId }, { refresh: true });
  const isTrash = (row: StoredFile) => Boolean(row.deletedAt);

  for (let file = await read(); file;) {
    const { tenantId } = file;
    const trashed = isTrash(file);
    if (trashed) {
      // Before they go: the receipt of a purge counts them.
      await noteVectors(em, fileId, await vectors.count({ tenantId, fileIds: [fileId] }));
      await vectors.remove({ tenantId, fileIds: [fileId] });
    } else if (file.describedAt) {
      await indexImages(deps, [file]);
    }
    file = await read();
    if (file && isTrash(file) === trashed) return;
  }
}
