import type { EntityManager } from '@mikro-orm/postgresql';
import type {
  ImageDecoder,
  RenderedImage,
  RenderOptions,
} from '../../engines/image-decoder/image-decoder.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { placeOf, variantKey } from '../../domain/object-keys.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep, type StepResult } from '../processing/record-step.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

export interface RenderVariantsDeps {
  objects: ObjectStore;
  decoder: ImageDecoder;
}

/**
 * Renders every variant of an image, its blur hash and its measurements, and stores them. Keys and rows are
 * deterministic, so repeating it overwrites and never adds.
 *
 * @throws FileGone, ObjectNotFound, and the errors of the decoder
 */
export async function renderVariants(
  { em, ...deps }: RenderVariantsDeps & { em: EntityManager },
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await findTarget(em, target);
  const { result } = await makeVariants(deps, file, { signal });
  await recordStep(em, target, result);
}

/**
 * Renders an image and stores its variants, but no rows.
 *
 * @throws ObjectNotFound, and the errors of the decoder
 */
export async function makeVariants(
  deps: RenderVariantsDeps,
  file: StoredFile,
  options: VariantOptions,
): Promise<{ image: RenderedImage; result: StepResult }> {
  const { objectKey } = file;
  const original = await deps.objects.read(objectKey, {
    maxBytes: MAX_STREAMED_BYTES,
    signal: options.signal,
  });
  return storeVariants(deps, file, original, options);
}

interface VariantOptions extends RenderOptions {
  signal: AbortSignal;
  /** Filled by later steps whose results are stored together with the variants. */
  found?: FoundInImage;
}

/** What steps find in an image, stored beside its measurements. */
export type FoundInImage = Partial<Pick<ImageDetails, 'textRegions' | 'detectedObjects'>>;

/** Renders and stores the variants of an image that is not the original of its file. */
export async function storeVariants(
  { objects, decoder }: RenderVariantsDeps,
  { id: fileId, tenantId, objectKey }: StoredFile,
  original: Buffer,
  { signal, luminance, found = {} }: VariantOptions,
): Promise<{ image: RenderedImage; result: StepResult }> {
  const place = placeOf(tenantId, objectKey);
  const image = await decoder.render(original, {
    tenantId,
    label: FILE_WORKFLOWS.of(fileId),
    signal,
    ...(luminance && { luminance }),
  });
  await Promise.all(
    image.variants.map(({ type, bytes, contentType }) =>
      objects.put(variantKey(place, fileId, type), bytes, { contentType }),
    ),
  );

  const rows = image.variants.map(({ bytes, ...variant }) => ({
    ...variant,
    fileId,
    objectKey: variantKey(place, fileId, variant.type),
    sizeBytes: bytes.byteLength,
  }));
  const { width, height, blurHash, facts } = image;
  return {
    image,
    result: {
      changes: () => ({ contentCreatedAt: facts.exif.takenAt ? new Date(facts.exif.takenAt) : null }),
      async save(tx) {
        await tx.upsertMany(FileVariant, rows);
        await tx.upsert(
          ImageDetails,
          { fileId, width, height, blurHash, imageFacts: facts, textRegions: null, ...found },
          found.textRegions ? {} : { onConflictExcludeFields: ['textRegions'] },
        );
      },
    },
  };
}
