import type { VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { AUTO_CATEGORY, type ContentCategory } from '../../../domain/content-categories.ts';
import type { MeasuredImage } from './measured-image.ts';

/**
 * Asks the model for the category of an image that was given `auto`.
 *
 * @returns undefined for an image that has a category
 * @throws the errors of the model
 */
export async function classifyImage(
  vision: VisionModel,
  { format, filename, contentCategory, visibleText }: StoredFile,
  image: MeasuredImage,
  signal: AbortSignal,
): Promise<{ contentCategory: ContentCategory } | undefined> {
  if (contentCategory !== AUTO_CATEGORY) return undefined;
  const { category } = await vision.classify(
    { format, filename, contentCategory, ...image, ...(visibleText && { visibleText }) },
    { signal },
  );
  return { contentCategory: category };
}
