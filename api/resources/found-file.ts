import { z } from 'zod';
import type { FileVariant } from '../../db/entities/files/file-variant.ts';
import type { FileHit } from '../../services/images/find-files-by-text.ts';
import { medium } from './enums.ts';
import { createdAt, fileId, filename, folderId, tags, thumbnailUrl } from './fields.ts';
import { variantUrl, type Presigner } from './file/present.ts';

/** An image or video found by a text. */
export const foundFile = z
  .object({
    file_id: fileId,
    media_type: medium.describe('The medium'),
    title: z.string().describe('Title; the file name if none was given'),
    filename,
    description: z
      .string()
      .nullable()
      .describe("The user's own description, otherwise the model's; null without one"),
    tags,
    thumbnail_url: thumbnailUrl,
    found_by: z.enum(['meaning', 'words', 'meaning_and_words']).meta({
      description:
        'By what it shows, by words of its title, name, tags, description or visible text, or by both',
    }),
    similarity_score: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description:
          'Similarity of the embeddings of image and query, as a share of the greatest one that the model gives, 0–1: a higher ' +
          'one is more similar, within one answer. It is no probability, and its range depends on the model: by the models of ' +
          'the service, files found by meaning have at least 0.56; by CLIP, 0.2 to 0.35 is common for a good match. For a ' +
          'video, that of its thumbnail. Null without a model that compares images with texts, and without an embedding of the file',
      }),
    folder_id: folderId,
    created_at: createdAt,
  })
  .meta({ id: 'FoundFile' });

/** @param thumbnails those of all found files */
export async function presentFoundFile(
  objects: Presigner,
  { file, foundBy, similarity }: FileHit,
  thumbnails: readonly FileVariant[],
): Promise<z.input<typeof foundFile>> {
  const thumbnail = thumbnails.find(({ fileId: owner }) => owner === file.id);
  return {
    file_id: file.id,
    media_type: file.mediaType,
    title: file.title ?? file.filename,
    filename: file.filename,
    description: file.userDescription ?? file.uploadDescription ?? null,
    tags: file.tags,
    thumbnail_url: thumbnail ? await variantUrl(objects, thumbnail) : null,
    found_by: foundBy,
    similarity_score: similarity,
    folder_id: file.folderId ?? null,
    created_at: file.createdAt.toISOString(),
  };
}
