import type { EntityManager } from '@mikro-orm/postgresql';
import type { Classification, VisionInput, VisionModel } from '../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import { AUTO_CATEGORY } from '../../domain/content-categories.ts';
import { addUsage } from '../../domain/token-usage.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { overviewImage } from './model-image.ts';
import {
  recordingFailure,
  storePaidAnswer,
  type PaidAttempt,
  tenantModel,
  type ModelDeps,
  describedBy,
  type Description,
  recordStep,
  type StepResult,
} from '../processing/record-step.ts';
import { storedVisionInput } from './vision-input.ts';

export interface DescribeImageDeps extends ModelDeps {
  em: EntityManager;
  objects: ObjectStore;
}

/**
 * Describes an image once per generation: an existing answer is not paid for again. A tenant that allows no provider
 * gets a description from measurements, and nothing leaves the service. The model gets the largest variant, never the
 * original, so no decoder runs here and no metadata leaves the service.
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
  const input = await storedVisionInput(em, file, () => overviewImage({ em, objects }, file));
  const vision = await tenantModel(em, target.tenantId, choice);
  const { provider, model } = vision;
  const earlier = classificationIn(attempt.kept);
  await storePaidAnswer(
    earlier ? { ...attempt, kept: undefined } : attempt,
    () =>
      recordingFailure(em, file, { operation: 'describe', provider, model }, async () => {
        const classification = earlier ?? (await classify());
        return askForDescription(vision, input, classification, attempt.signal);
      }),
    (description) => recordStep(em, target, describedImage(file, description)),
  );

  async function classify(): Promise<Classification | undefined> {
    const found = await classifyImage(vision, input, attempt.signal);
    if (!found) return undefined;
    // Keeps the category and its cost for the next attempt, in case the description fails.
    attempt.keep?.({ classification: found } satisfies Kept);
    await recordStep(em, target, { changes: () => ({ contentCategory: found.category }) });
    return found;
  }
}

/** Kept by an attempt after the classification; after the description, that is kept instead. */
interface Kept {
  classification: Classification;
}

function classificationIn(kept: unknown): Classification | undefined {
  return (kept as Partial<Kept> | undefined)?.classification;
}

/**
 * Describes an image by the model.
 *
 * @param classification of an image that was given `auto`
 * @throws the errors of the model
 */
export async function askForDescription(
  vision: VisionModel,
  input: VisionInput,
  classification: Classification | undefined,
  signal: AbortSignal,
): Promise<Description> {
  const began = performance.now();
  const category = classification?.category;
  const answer = await vision.describe(
    { ...input, ...(category && { contentCategory: category }) },
    { signal },
  );
  const { provider, model } = vision;
  const durationMs = performance.now() - began;
  const usage = classification ? addUsage(classification.usage, answer.usage) : answer.usage;
  return { provider, model, ...answer, usage, durationMs, ...(category && { category }) };
}

/** The step result of a description, with the objects of which the model said where they are. */
function describedImage(file: StoredFile, description: Description): StepResult {
  const described = describedBy(file, description);
  const { objects } = description;
  return {
    ...described,
    async save(tx) {
      await described.save?.(tx);
      // Those of an earlier generation belong to its description.
      if (!objects && file.generation === 1) return;
      const detectedObjects = objects ? [...objects] : null;
      await tx.nativeUpdate(ImageDetails, { fileId: file.id }, { detectedObjects });
    },
  };
}

/**
 * Classifies an image that was given `auto` by the model.
 *
 * @returns undefined for an image that has a category
 * @throws the errors of the model
 */
export async function classifyImage(
  vision: VisionModel,
  input: VisionInput,
  signal: AbortSignal,
): Promise<Classification | undefined> {
  return input.contentCategory === AUTO_CATEGORY ? vision.classify(input, { signal }) : undefined;
}
