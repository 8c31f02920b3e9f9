/**
 * `syncImageIndex`, id `image-index/{file_id}`, queue `workflows`: reconciles the file's entry in the similarity index
 * with its row, after a deletion or a restore. One at a time per file, so that a removal and a restore cannot be
 * reordered.
 */
export const SYNC_IMAGE_INDEX = 'syncImageIndex';

/** The row has changed again, so read it again. A signal, because it needs no answer and must not be lost. */
export const INDEX_CHANGED = 'indexChanged';

export interface SyncImageIndexInput {
  fileId: string;
  tenantId: string;
}
