import type { z } from 'zod';
import type { FileVariant } from '../../../db/entities/files/file-variant.ts';
import type { SimilarFile } from '../../../services/images/find-similar.ts';
import { variantUrls, type Presigner } from '../file/present.ts';
import type { similarAnswer } from './schema.ts';

/** One similar image. Relevance equals visual similarity until there is a better ranking. */
export async function presentSimilar(
  objects: Presigner,
  { file, similarity }: SimilarFile,
  variants: FileVariant[],
): Promise<z.input<typeof similarAnswer>['items'][number]> {
  return {
    image_id: file.id,
    title: file.title ?? file.filename,
    description: file.userDescription ?? file.uploadDescription ?? null,
    relevance_score: Math.max(0, similarity),
    vector_similarity: similarity,
    ...(await variantUrls(
      objects,
      variants.filter(({ fileId }) => fileId === file.id),
    )),
    folder_id: file.folderId ?? null,
    created_at: file.createdAt.toISOString(),
  };
}
