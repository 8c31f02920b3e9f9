import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import type { VisionInput } from '../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

export type ModelImage = Awaited<ReturnType<VisionInput['image']>>;

/** The longer side of an image for reading small print; models scale down larger images. */
export const FINE_PIXELS = 2048;

/** The image that a model describes: the largest variant, so that no decoder runs. */
export async function overviewImage(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  { id: fileId }: Pick<StoredFile, 'id'>,
): Promise<ModelImage> {
  const { objectKey, contentType } = await em.findOneOrFail(FileVariant, { fileId, type: 'large_1024' });
  return { bytes: await objects.read(objectKey, { maxBytes: MAX_STREAMED_BYTES }), contentType };
}

/**
 * The image for reading small print by a model: a rendering of the original, upright and without its metadata.
 *
 * @throws ObjectNotFound, and the errors of the decoder
 */
export async function fineImage(
  { objects, decoder }: { objects: ObjectStore; decoder: ImageDecoder },
  { id: fileId, tenantId, objectKey }: Pick<StoredFile, 'id' | 'tenantId' | 'objectKey'>,
  signal: AbortSignal,
): Promise<ModelImage> {
  const original = await objects.read(objectKey, { maxBytes: MAX_STREAMED_BYTES, signal });
  const { bytes, contentType } = await decoder.view(original, {
    maxDimension: FINE_PIXELS,
    tenantId,
    label: FILE_WORKFLOWS.of(fileId),
    signal,
  });
  return { bytes, contentType };
}
