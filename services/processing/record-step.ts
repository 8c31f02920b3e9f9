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

/** What a step has made, ready to be stored. */
export interface StepResult {
  /** Changes to the file's row, given its current state: its owner may have changed it meanwhile. */
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

/** Asks a model, and records what a call has cost that will not be answered. */
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
      // A retry for the sake of this record would pay again.
      .catch(() => undefined);
    throw error;
  }
}

/** A description, and the calls that made it. */
export interface Description extends VisionAnswer, Pick<VisionModel, 'provider' | 'model'> {
  durationMs: number;
  /** Of an image that was given `auto`. */
  category?: ContentCategory;
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

/** One attempt at work that pays for an answer, see `attempt` of the activities. */
export interface PaidAttempt {
  signal: AbortSignal;
  /** What an earlier attempt has kept. */
  kept?: unknown;
  /** Keeps something small for the next attempt, wherever that runs. */
  keep?: (answer: unknown) => void;
}

/**
 * Asks for an answer and stores it, and pays for no answer twice: one that could not be stored, since the database was
 * away, is kept for the next attempt. What is left is a worker that is killed between the reply and the commit.
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

/** The models of a step that has waited for one of them. */
export interface ModelDeps {
  models: Pick<VisionModels, 'forTenant'>;
  /** On whose queue it has waited. */
  provider: string;
}

/** The model for the files of a tenant, by its present settings. */
export async function tenantModel(
  em: EntityManager,
  tenantId: string,
  { models, provider }: ModelDeps,
): Promise<VisionModel> {
  const { allowedVlmProviders } = await em.findOneOrFail(Tenant, tenantId, { refresh: true });
  return models.forTenant(allowedVlmProviders, provider);
}
