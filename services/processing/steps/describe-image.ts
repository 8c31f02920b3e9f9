import type { EntityManager } from '@mikro-orm/postgresql';
import type { VisionAnswer } from '../../../adapters/models/vision/vision-answer.ts';
import type {
  Classification,
  VisionInput,
  VisionModel,
} from '../../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { FileDescription } from '../../../db/entities/files/file-description.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { ContentCategory } from '../../../domain/content-categories.ts';
import { MAX_TAGS } from '../../../domain/limits.ts';
import { addUsage } from '../../../domain/token-usage.ts';
import { recordFileOperation } from '../../usage/record-operation.ts';
import { findTarget, type FileTarget } from '../file-target.ts';
import { overviewPicture } from '../model-picture.ts';
import { recordingFailure } from '../recording-failure.ts';
import { storePaidAnswer, type PaidAttempt } from '../store-paid-answer.ts';
import { tenantModel, type ModelDeps } from '../tenant-model.ts';
import { classifyImage } from './classify-image.ts';
import { recordStep, type StepResult } from './record-step.ts';
import { storedVisionInput } from './vision-input.ts';

export interface DescribeImageDeps extends ModelDeps {
  em: EntityManager;
  objects: ObjectStore;
}

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
  const input = await storedVisionInput(em, file, () => overviewPicture({ em, objects }, file));
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
    (description) => recordStep(em, target, describedBy(file, description)),
  );

  async function classify(): Promise<Classification | undefined> {
    const found = await classifyImage(vision, input, attempt.signal);
    if (!found) return undefined;
    // Both for an attempt after one that could not describe it: the category, and what it has cost.
    attempt.keep?.({ classification: found } satisfies Kept);
    await recordStep(em, target, { changes: () => ({ contentCategory: found.category }) });
    return found;
  }
}

/** What an attempt keeps that has classified an image; one that has described it keeps the description. */
interface Kept {
  classification: Classification;
}

function classificationIn(kept: unknown): Classification | undefined {
  return (kept as Partial<Kept> | undefined)?.classification;
}

/** A description, and the calls that made it. */
export interface Description extends VisionAnswer, Pick<VisionModel, 'provider' | 'model'> {
  durationMs: number;
  /** Of an image that was given `auto`. */
  category?: ContentCategory;
}

/**
 * Asks the model for the description of an image.
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
  return { ...answer, usage, provider, model, durationMs, ...(category && { category }) };
}

/** What a description changes. */
export function describedBy(
  file: StoredFile,
  { description, tags, usage, provider, model, promptVersion, confidence, durationMs, category }: Description,
): StepResult {
  const { id: fileId, generation } = file;
  const describedAt = new Date();
  return {
    changes: (current) => ({
      ...(category && { contentCategory: category }),
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
        confidence,
        createdAt: describedAt,
      });
      await recordFileOperation(tx, file, { operation: 'describe', provider, model, usage, durationMs });
    },
  };
}
