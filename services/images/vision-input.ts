import type { EntityManager } from '@mikro-orm/postgresql';
import type { VisionInput } from '../../adapters/models/vision/vision-model.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';

/** Measurements made when an image is rendered. */
type Measured = Pick<VisionInput, 'image' | 'facts' | 'width' | 'height'> & {
  textRegions?: VisionInput['textRegions'] | null;
};

/** The model input for an image. */
export function visionInput(
  { format, filename, contentCategory, visibleText }: StoredFile,
  { textRegions, ...measured }: Measured,
): VisionInput {
  return {
    ...measured,
    format,
    filename,
    contentCategory,
    ...(visibleText && { visibleText }),
    ...(textRegions && { textRegions }),
  };
}

/**
 * The model input for an image that an earlier step has measured.
 *
 * @param image loads the image
 * @throws Error if it has not been measured
 */
export async function storedVisionInput(
  em: EntityManager,
  file: StoredFile,
  image: VisionInput['image'],
): Promise<VisionInput> {
  const details = await em.findOne(ImageDetails, { fileId: file.id });
  if (!details) throw new Error('the image was given to a model before it was measured');
  const { imageFacts: facts, width, height, textRegions } = details;
  return visionInput(file, { image, facts, width, height, textRegions });
}
