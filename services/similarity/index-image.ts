import { FileGone, findTarget, type FileTarget } from '../processing/file-target.ts';
import { indexImages, type IndexImagesDeps } from './index-images.ts';

/**
 * Adds one image to the similarity index.
 *
 * @throws FileGone, also when it was deleted during indexing; VectorIndexError
 */
export async function indexImage(deps: IndexImagesDeps, target: FileTarget): Promise<void> {
  const file = await findTarget(deps.em, target);
  const indexed = await indexImages(deps, [file]);
  if (indexed === 0) throw new FileGone('the file or its variants were deleted during indexing');
}
