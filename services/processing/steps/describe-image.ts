import type { EntityManager } from '@mikro-orm/postgresql';
import type { VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { FileDescription } from '../../../db/entities/files/file-description.ts';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { MAX_STREAMED_BYTES, MAX_TAGS } from '../../../domain/limits.ts';
import { findTarget, type FileTarget } from '../file-target.ts';
import { lockFile } from '../../files/lock-file.ts';

export interface DescribeImageDeps {
  em: EntityManager;
  objects: ObjectStore;
  vision: VisionModel;
}

/**
 * Describes an image once per generation: an existing answer is not paid for again. The model sees the largest variant,
 * never the original, so no decoder runs here and no metadata leaves the service.
 *
 * @throws FileGone, and the errors of the model
 */
export async function describeImage(
  { em, objects, vision }: DescribeImageDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await findTarget(em, target);
  const { fileId, generation } = target;
  if ((await em.count(FileDescription, { fileId, generation })) > 0) return;
  const details = await em.findOne(ImageDetails, { fileId });
  if (!details) throw new Error('the image was described before it was measured');

  const { description, tags, usage, promptVersion } = await vision.describe(
    {
      image: () => largestVariant({ em, objects }, file.id),
      facts: details.imageFacts,
      width: details.width,
      height: details.height,
      format: file.format,
      filename: file.filename,
      contentCategory: file.contentCategory,
      ...(file.visibleText && { visibleText: file.visibleText }),
    },
    { signal },
  );
  const describedAt = new Date();
  await em.transactional(async (tx) => {
    // Read again, because its owner may have changed the tags during the model call.
    const current = await lockFile(tx, target.tenantId, fileId);
    if (!current || current.generation !== generation || current.deletedAt) return;
    await tx.nativeUpdate(
      StoredFile,
      { id: fileId },
      {
        uploadDescription: description,
        describedAt,
        tags: [...new Set([...current.tags, ...tags])].slice(0, MAX_TAGS),
      },
    );
    await tx.upsert(FileDescription, {
      fileId,
      generation,
      provider: vision.provider,
      model: vision.model,
      promptVersion,
      description,
      tags,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      createdAt: describedAt,
    });
  });
}

async function largestVariant({ em, objects }: Pick<DescribeImageDeps, 'em' | 'objects'>, fileId: string) {
  const variant = await em.findOneOrFail(FileVariant, { fileId, type: 'large_1024' });
  const bytes = await objects.read(variant.objectKey, { maxBytes: MAX_STREAMED_BYTES });
  return { bytes, contentType: variant.contentType };
}
