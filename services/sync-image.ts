import { StoredFile } from '../db/entities/stored-file.ts';
import { indexImages } from './index-images.ts';
import type { IndexImagesDeps } from './index-images.ts';

/**
 * Brings an image's entry in the similarity index in line with its row, when that is due: removed if it lies in the
 * trash, there if it does not. Looks again when the row changed meanwhile. Safe to repeat.
 *
 * @throws VectorIndexError
 */
export async function syncImage(deps: IndexImagesDeps, fileId: string): Promise<void> {
  const { em, vectors } = deps;
  for (;;) {
    const file = await em.findOne(StoredFile, { id: fileId }, { refresh: true });
    if (!file?.indexDueAt) return;
    const { tenantId, deletedAt, indexDueAt } = file;
    if (deletedAt) await vectors.remove({ tenantId, fileIds: [fileId] });
    else await indexImages(deps, [file]);
    await em.nativeUpdate(StoredFile, { id: fileId, indexDueAt, deletedAt }, { indexDueAt: null });
  }
}
