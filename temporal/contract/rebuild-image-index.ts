/**
 * `rebuildImageIndex`, id `rebuild/images`, queue `workflows`: puts every described image back into the similarity
 * index, page by page. For an index that was lost or emptied; safe to run during uploads.
 */
export const REBUILD_IMAGE_INDEX = 'rebuildImageIndex';

export interface RebuildProgress {
  indexed: number;
  /** Id of the last file done; absent at the beginning. */
  after?: string;
}
