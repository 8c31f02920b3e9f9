import type { EntityManager } from '@mikro-orm/postgresql';
import { createLocalVision } from '../../../adapters/models/vision/local-vision.ts';
import type { VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { FileDescription } from '../../../db/entities/files/file-description.ts';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { MAX_STREAMED_BYTES, MAX_TAGS } from '../../../domain/limits.ts';
import { classifyImage } from './classify-image.ts';
import type { MeasuredImage } from './measured-image.ts';
import { findTarget, type FileTarget } from '../file-target.ts';
import { recordStep, type StepResult } from './record-step.ts';

export interface DescribeImageDeps {
  em: EntityManager;
  objects: ObjectStore;
  vision: VisionModel;
}

/**
 * Describes an image once per generation: an existing answer is not paid for again. A tenant that does not allow the
 * provider of the model gets a description from measurements, and nothing leaves the service. The model sees the largest variant,
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
  const { imageFacts: facts, width, height, textRegions } = details;
  const image = () => largestVariant({ em, objects }, fileId);
  const measured: MeasuredImage = { image, facts, width, height, ...(textRegions && { textRegions }) };
  const model = await permittedModel(em, target.tenantId, vision);
  const classified = await classifyImage(model, file, measured, signal);
  // Stored at once: a description that has to be tried again must not pay for it again.
  if (classified) await recordStep(em, target, { changes: () => classified });
  await recordStep(em, target, await makeDescription(model, file, { ...measured, ...classified }, signal));
}

/**
 * Asks the model for the description of an image.
 *
 * @throws the errors of the model
 */
export async function makeDescription(
  vision: VisionModel,
  { id: fileId, generation, format, filename, contentCategory, visibleText }: StoredFile,
  image: MeasuredImage,
  signal: AbortSignal,
): Promise<StepResult> {
  const { description, tags, usage, promptVersion, confidence } = await vision.describe(
    { format, filename, contentCategory, ...image, ...(visibleText && { visibleText }) },
    { signal },
  );
  const describedAt = new Date();
  return {
    changes: (current) => ({
      ...(image.contentCategory && { contentCategory: image.contentCategory }),
      uploadDescription: description,
      describedAt,
      tags: [...new Set([...current.tags, ...tags])].slice(0, MAX_TAGS),
    }),
    save: async (tx) =>
      void (await tx.upsert(FileDescription, {
        fileId,
        generation,
        provider: vision.provider,
        model: vision.model,
        promptVersion,
        description,
        tags,
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        confidence,
        createdAt: describedAt,
      })),
  };
}

/** The given model, or the local one for a tenant that does not allow its provider. */
async function permittedModel(
  em: EntityManager,
  tenantId: string,
  vision: VisionModel,
): Promise<VisionModel> {
  if (vision.inProcess) return vision;
  const { allowedVlmProviders: allowed } = await em.findOneOrFail(Tenant, tenantId, { refresh: true });
  return !allowed || allowed.includes(vision.provider) ? vision : createLocalVision();
}

async function largestVariant({ em, objects }: Pick<DescribeImageDeps, 'em' | 'objects'>, fileId: string) {
  const variant = await em.findOneOrFail(FileVariant, { fileId, type: 'large_1024' });
  const bytes = await objects.read(variant.objectKey, { maxBytes: MAX_STREAMED_BYTES });
  return { bytes, contentType: variant.contentType };
}
