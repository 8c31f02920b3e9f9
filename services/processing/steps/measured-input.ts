import type { EntityManager } from '@mikro-orm/postgresql';
import type { VisionInput } from '../../../adapters/models/vision/vision-model.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';

/**
 * What a model gets of an image that has been measured.
 *
 * @param image loads the picture
 * @throws Error if it has not been measured
 */
export async function measuredInput(
  em: EntityManager,
  { id: fileId, format, filename, contentCategory, visibleText }: StoredFile,
  image: VisionInput['image'],
): Promise<VisionInput> {
  const details = await em.findOne(ImageDetails, { fileId });
  if (!details) throw new Error('the image was extracted from before it was measured');
  const { imageFacts: facts, width, height, textRegions } = details;
  return {
    image,
    facts,
    width,
    height,
    format,
    filename,
    contentCategory,
    ...(visibleText && { visibleText }),
    ...(textRegions && { textRegions }),
  };
}
