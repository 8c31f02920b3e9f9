/**
 * `syncImageIndex`, id `image-index/{file_id}`, queue `workflows`: brings the file's entry in the similarity index in line
 * with its row, after a deletion or a restore. One at a time for a file, so that a removal and a return cannot overtake
 * each other.
 */
export const SYNC_IMAGE_INDEX = 'syncImageIndex';

/** A signal, because it needs no answer and must not be lost: the row has changed once more, so look again. */
export const INDEX_CHANGED = 'indexChanged';

export interface SyncImageIndexInput {
  fileId: string;
  tenantId: string;
}
