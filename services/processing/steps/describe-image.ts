import type { EntityManager } from '@mikro-orm/postgresql';
import type { VisionInput, VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import type { VisionModels } from '../../../adapters/models/vision/vision-models.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { FileDescription } from '../../../db/entities/files/file-description.ts';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { MAX_STREAMED_BYTES, MAX_TAGS } from '../../../domain/limits.ts';
import { NO_TOKENS } from '../../../domain/token-usage.ts';
import { recordFileOperation } from '../../usage/record-file-operation.ts';
import { findTarget, type FileTarget } from '../file-target.ts';
import { recordStep, type StepResult } from './record-step.ts';

export interface DescribeImageDeps {
  em: EntityManager;
  objects: ObjectStore;
  models: Pick<VisionModels, 'forTenant'>;
  /** On whose queue the call has waited. */
  provider: string;
}

/** What the model gets besides the file's own row. */
export type MeasuredImage = Pick<VisionInput, 'image' | 'facts' | 'width' | 'height'>;

/**
 * Describes an image once per generation: an existing answer is not paid for again. A tenant that allows none of the
 * providers gets a description from measurements, and nothing leaves the service. The model sees the largest variant,
 * never the original, so no decoder runs here and no metadata leaves the service.
 *
 * @throws FileGone, and the errors of the model
 */
export async function describeImage(
  { em, objects, models, provider }: DescribeImageDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await findTarget(em, target);
  const { fileId, generation } = target;
  if ((await em.count(FileDescription, { fileId, generation })) > 0) return;
  const details = await em.findOne(ImageDetails, { fileId });
  if (!details) throw new Error('the image was described before it was measured');
  const { imageFacts: facts, width, height } = details;
  const image = () => largestVariant({ em, objects }, fileId);
  const { allowedVlmProviders } = await em.findOneOrFail(Tenant, target.tenantId, { refresh: true });
  const model = models.forTenant(allowedVlmProviders, provider);
  await recordStep(em, target, await makeDescription(model, file, { image, facts, width, height }, signal));
}

/**
 * Asks the model for the description of an image.
 *
 * @throws the errors of the model
 */
export async function makeDescription(
  vision: VisionModel,
  file: StoredFile,
  image: MeasuredImage,
  signal: AbortSignal,
): Promise<StepResult> {
  const { id: fileId, generation, format, filename, contentCategory, visibleText } = file;
  const began = performance.now();
  const { description, tags, usage, promptVersion } = await vision.describe(
    { ...image, format, filename, contentCategory, ...(visibleText && { visibleText }) },
    { signal },
  );
  const durationMs = performance.now() - began;
  const describedAt = new Date();
  const { provider, model } = vision;
  return {
    changes: (current) => ({
      uploadDescription: description,
      describedAt,
      tags: [...new Set([...current.tags, ...tags])].slice(0, MAX_TAGS),
    }),
    async save(tx) {
      await tx.upsert(FileDescription, {
        fileId,
        generation,
        provider,
        model,
        promptVersion,
        description,
        tags,
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        createdAt: describedAt,
      });
      const tokens = { ...NO_TOKENS, ...usage };
      await recordFileOperation(tx, file, {
        operation: 'describe',
        provider,
        model,
        usage: tokens,
        durationMs,
      });
    },
  };
}

export async function largestVariant(
  { em, objects }: Pick<DescribeImageDeps, 'em' | 'objects'>,
  fileId: string,
) {
  const variant = await em.findOneOrFail(FileVariant, { fileId, type: 'large_1024' });
  const bytes = await objects.read(variant.objectKey, { maxBytes: MAX_STREAMED_BYTES });
  return { bytes, contentType: variant.contentType };
}
