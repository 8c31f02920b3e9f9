import type { Classification, VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { AUTO_CATEGORY } from '../../../domain/content-categories.ts';
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
  { image, facts, width, height, textRegions }: MeasuredImage,
  signal: AbortSignal,
): Promise<Classification | undefined> {
  if (contentCategory !== AUTO_CATEGORY) return undefined;
  return vision.classify(
    {
      image,
      facts,
      width,
      height,
      format,
      filename,
      contentCategory,
      ...(visibleText && { visibleText }),
      ...(textRegions && { textRegions }),
    },
    { signal },
  );
}
