import type { EntityManager } from '@mikro-orm/postgresql';
import type { VisionAnswer, VisionInput, VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { FileDescription } from '../../../db/entities/files/file-description.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { MAX_TAGS } from '../../../domain/limits.ts';
import { recordFileOperation } from '../../usage/record-file-operation.ts';
import { findTarget, type FileTarget } from '../file-target.ts';
import { overviewPicture } from '../model-picture.ts';
import { storePaidAnswer, type PaidAttempt } from '../store-paid-answer.ts';
import { tenantModel, type ModelDeps } from '../tenant-model.ts';
import { recordStep, type StepResult } from './record-step.ts';

export interface DescribeImageDeps extends ModelDeps {
  em: EntityManager;
  objects: ObjectStore;
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
  { em, objects, ...choice }: DescribeImageDeps,
  target: FileTarget,
  attempt: PaidAttempt,
): Promise<void> {
  const file = await findTarget(em, target);
  const { fileId, generation } = target;
  if ((await em.count(FileDescription, { fileId, generation })) > 0) return;
  const details = await em.findOne(ImageDetails, { fileId });
  if (!details) throw new Error('the image was described before it was measured');
  const { imageFacts: facts, width, height } = details;
  const image = () => overviewPicture({ em, objects }, file);
  const model = await tenantModel(em, target.tenantId, choice);
  await storePaidAnswer(
    attempt,
    () => askForDescription(model, file, { image, facts, width, height }, attempt.signal),
    (description) => recordStep(em, target, describedBy(file, description)),
  );
}

/** A description, and the call that made it. */
export interface Description extends VisionAnswer, Pick<VisionModel, 'provider' | 'model'> {
  durationMs: number;
}

/**
 * Asks the model for the description of an image.
 *
 * @throws the errors of the model
 */
export async function askForDescription(
  vision: VisionModel,
  { format, filename, contentCategory, visibleText }: StoredFile,
  image: MeasuredImage,
  signal: AbortSignal,
): Promise<Description> {
  const began = performance.now();
  const answer = await vision.describe(
    { ...image, format, filename, contentCategory, ...(visibleText && { visibleText }) },
    { signal },
  );
  const { provider, model } = vision;
  return { ...answer, provider, model, durationMs: performance.now() - began };
}

/** What a description changes. */
export function describedBy(
  file: StoredFile,
  { description, tags, usage, provider, model, promptVersion, durationMs }: Description,
): StepResult {
  const { id: fileId, generation } = file;
  const describedAt = new Date();
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
        ...usage,
        createdAt: describedAt,
      });
      await recordFileOperation(tx, file, { operation: 'describe', provider, model, usage, durationMs });
    },
  };
}
