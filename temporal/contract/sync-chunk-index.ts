/**
 * `syncChunkIndex`, id `chunk-index/{file_id}`, queue `workflows`: reconciles the vectors of a document's chunks with its
 * row, after a deletion or a restore. One at a time per file, so that a removal and a restore cannot be reordered.
 * Signalled with INDEX_CHANGED when the row has changed again.
 */
export const SYNC_CHUNK_INDEX = 'syncChunkIndex';
