import { z } from 'zod';
import { integerIn } from '../../domain/schemas/query.ts';
import { count, createdAt, fileId, folderId, fullUrl, mediumUrl, thumbnailUrl } from './fields.ts';
import type { FileVariant } from '../../db/entities/files/file-variant.ts';
import type { SimilarFile } from '../../services/images/find-similar.ts';
import { variantUrls, type Presigner } from './file/present.ts';

export const similarQuery = z.object({
  limit: integerIn(1, 50).default(20).describe('Most images to return'),
});

export const similarAnswer = z
  .object({
    reference_image_id: z.uuid().describe('Id of the image compared with'),
    items: z
      .array(
        z.object({
          image_id: fileId,
          title: z.string().describe('Title; the file name if none was given'),
          description: z
            .string()
            .nullable()
            .describe("The user's own description, otherwise the model's; null without one"),
          relevance_score: z.number().min(0).max(1).describe('Relevance, 0–1, best first'),
          vector_similarity: z
            .number()
            .min(-1)
            .max(1)
            .describe('Cosine similarity of the two vectors, −1 to 1'),
          thumbnail_url: thumbnailUrl,
          medium_url: mediumUrl,
          full_url: fullUrl,
          folder_id: folderId,
          created_at: createdAt,
        }),
      )
      .describe('Similar images, most similar first'),
    total_count: count.describe('Number of images returned'),
  })
  .meta({ id: 'SimilarImages' });

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
