import type { EntityManager } from '@mikro-orm/postgresql';
import { isFinal, ModelError } from '../../adapters/models/model-error.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import {
  recordFileOperation,
  type FileOperationRecord,
  type RecordOptions,
} from '../usage/record-operation.ts';

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
