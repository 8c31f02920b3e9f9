/**
 * `rebuildChunkIndex`, id `rebuild/chunks`, queue `workflows`: puts the chunks of every live document into the search
 * index of the configured model, page by page. For an index that was lost, and after a change of the model; safe to run
 * during uploads.
 */
export const REBUILD_CHUNK_INDEX = 'rebuildChunkIndex';
