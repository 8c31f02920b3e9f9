import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { indexImages, type IndexImagesDeps } from './index-images.ts';
import { noteVectors } from './note-vectors.ts';

/**
 * Syncs an image's entry in the similarity index with its row: removed if it is in the trash, present if it is live and
 * described. Idempotent.
 *
 * Repeats until the row is still in the state that was acted upon: an attempt delayed for so long that others have
 * finished meanwhile corrects its own stale write.
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
      // Before removing them: the receipt of a purge counts them.
      await noteVectors(em, fileId, await vectors.count({ tenantId, fileIds: [fileId] }));
      await vectors.remove({ tenantId, fileIds: [fileId] });
    } else if (file.describedAt) {
      await indexImages(deps, [file]);
    }
    file = await read();
    if (file && isTrash(file) === trashed) return;
  }
}
