import type { EntityData } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { lockFile } from '../files/find-file.ts';
import type { FileTarget } from './file-target.ts';
import { isFinal, ModelError } from '../../adapters/models/model-error.ts';
import {
  recordFileOperation,
  type FileOperationRecord,
  type RecordOptions,
} from '../usage/record-operation.ts';
import type { VisionAnswer } from '../../adapters/models/vision/vision-answer.ts';
import type { VisionModel } from '../../adapters/models/vision/vision-model.ts';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import type { ContentCategory } from '../../domain/content-categories.ts';
import { MAX_TAGS } from '../../domain/limits.ts';
import type { VisionModels } from '../../adapters/models/vision/vision-models.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';

/** The result of a step, ready to be stored. */
export interface StepResult {
  /** Changes to the file's row, given its current state, which a user may have changed meanwhile. */
  changes?: (current: StoredFile) => EntityData<StoredFile>;
  /** Writes all other rows. */
  save?: (tx: EntityManager) => Promise<void>;
}

/** Stores the result of one step, unless the file was deleted or is in a newer generation. Idempotent. */
export async function recordStep(
  em: EntityManager,
  { fileId, tenantId, generation }: FileTarget,
  { changes, save }: StepResult,
): Promise<void> {
  await em.transactional(async (tx) => {
    const current = await lockFile(tx, tenantId, fileId);
    if (!current || current.generation !== generation || current.deletedAt) return;
    if (changes) await tx.nativeUpdate(StoredFile, { id: fileId }, changes(current));
    await save?.(tx);
  });
}

/** Calls a model, and records the cost of a call that failed. */
export async function recordingFailure<T>(
  em: EntityManager,
  file: StoredFile,
  call: Pick<FileOperationRecord, 'operation' | 'provider' | 'model'> & Pick<RecordOptions, 'part'>,
  ask: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ModelError) || !error.usage || !isFinal(error)) throw error;
    const { operation, provider, model, part } = call;
    const { code: errorCode, usage } = error;
    const failed = { operation, provider, model, usage, errorCode, durationMs: performance.now() - began };
    await em
      .transactional((tx) => recordFileOperation(tx, file, failed, part ? { part } : {}))
      // A retry to save this record would pay again.
      .catch(() => undefined);
    throw error;
  }
}

/** A description, and the calls that produced it. */
export interface Description extends VisionAnswer {
  provider: string;
  model: string;
  durationMs: number;
  /** The category of an image that was given `auto`. */
  category?: ContentCategory;
}

/** The changes to a file's row by a description. */
export function describedBy(file: StoredFile, answer: Description): StepResult {
  const { description, tags, usage, provider, model, promptVersion, confidence, durationMs, category } =
    answer;
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

/** An attempt at a step that pays for an answer, see `attempt` of the activities. */
export interface PaidAttempt {
  signal: AbortSignal;
  /** Kept by an earlier attempt. */
  kept?: unknown;
  /** Keeps a small value for the next attempt, on any worker. */
  keep?: (answer: unknown) => void;
}

/**
 * Requests and stores an answer, without paying twice: an answer that could not be stored, because of a database
 * outage, is kept for the next attempt. The remaining gap is a worker killed between reply and commit.
 *
 * @param ask its answer must survive JSON
 */
export async function storePaidAnswer<T>(
  { kept, keep }: PaidAttempt,
  ask: () => Promise<T>,
  store: (answer: T) => Promise<void>,
): Promise<void> {
  const answer = kept === undefined ? await ask() : (kept as T);
  try {
    await store(answer);
  } catch (error) {
    keep?.(answer);
    throw error;
  }
}

/** The models available to a step that was queued for one of them. */
export interface ModelDeps {
  models: Pick<VisionModels, 'forTenant'>;
  /** The provider whose queue the step was in. */
  provider: string;
}

/** The model for the files of a tenant, by its current settings. */
export async function tenantModel(
  em: EntityManager,
  tenantId: string,
  { models, provider }: ModelDeps,
): Promise<VisionModel> {
  const { allowedVlmProviders } = await em.findOneOrFail(Tenant, tenantId, { refresh: true });
  return models.forTenant(allowedVlmProviders, provider);
}
