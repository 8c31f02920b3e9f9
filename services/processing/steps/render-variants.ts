import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder } from '../../../adapters/image-decoder/image-decoder.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { MAX_STREAMED_BYTES } from '../../../domain/limits.ts';
import { variantKey } from '../../../domain/object-keys.ts';
import { fileWorkflowId } from '../../../temporal/contract/ids.ts';
import { findTarget, type FileTarget } from '../file-target.ts';

export interface RenderVariantsDeps {
  em: EntityManager;
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
  { em, objects, decoder }: RenderVariantsDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await findTarget(em, target);
  const original = await objects.read(file.objectKey, { maxBytes: MAX_STREAMED_BYTES });
  const image = await decoder.render(original, { label: fileWorkflowId(file.id), signal });

  const rows = image.variants.map(({ bytes, ...variant }) => ({
    ...variant,
    fileId: file.id,
    objectKey: variantKey(file.tenantId, file.id, variant.type),
    sizeBytes: bytes.byteLength,
  }));
  await Promise.all(
    image.variants.map(({ type, bytes, contentType }) =>
      objects.put(variantKey(file.tenantId, file.id, type), bytes, { contentType }),
    ),
  );
  await em.transactional(async (tx) => {
    const { width, height, blurHash, facts } = image;
    const current = await tx.nativeUpdate(
      StoredFile,
      { id: file.id, generation: target.generation, deletedAt: null },
      { contentCreatedAt: facts.exif.takenAt ? new Date(facts.exif.takenAt) : null },
    );
    if (current === 0) return;
    await tx.upsertMany(FileVariant, rows);
    await tx.upsert(
      ImageDetails,
      { fileId: file.id, width, height, blurHash, imageFacts: facts, textRegions: null },
      { onConflictExcludeFields: ['textRegions'] },
    );
  });
}
