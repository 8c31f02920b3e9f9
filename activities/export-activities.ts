import {
  EncryptionKeyUnknown,
  SecretUnreadable,
  type SecretCipher,
} from '../adapters/encryption/secret-cipher.ts';
import { GoogleError } from '../adapters/google-sheets/google-error.ts';
import type { GoogleSheets } from '../adapters/google-sheets/google-sheets.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { Orm } from '../db/create-orm.ts';
import { AppError } from '../domain/app-error.ts';
import type { FailureReason } from '../domain/components.ts';
import { cleanExport, failExport } from '../services/exports/end-export.ts';
import { ExportSuperseded } from '../services/exports/export-run.ts';
import type { ExportTarget } from '../services/exports/find-export.ts';
import { RecordTooSlow } from '../services/exports/ranges.ts';
import { writeExport } from '../services/exports/write-export.ts';
import { PartsChanged } from '../services/exports/write-parts.ts';
import { permanentFailure } from '../temporal/contract/failures.ts';
import { attempt, type FailureClass } from './attempt.ts';

export interface ExportActivityDeps {
  orm: Orm;
  objects: ObjectStore;
  cipher: SecretCipher;
  sheets: GoogleSheets | undefined;
}

/** The work of `exportData`, on the `io` queue, and on `cpu` for files that are made here. */
export function createExportWriting({ orm, objects, cipher, sheets }: ExportActivityDeps) {
  return {
    /** @returns how many records */
    writeExport: (target: ExportTarget): Promise<number> =>
      attempt(
        ({ signal, onStep }) =>
          writeExport({ em: orm.em.fork(), objects, cipher, sheets }, target, {
            signal,
            onProgress: (records, expected) =>
              onStep(expected === null ? `${records} records` : `${records} of ${expected} records`),
          }),
        classify,
      ),
  };
}

/** The rest of `exportData`, on the `io` queue. */
export function createExportActivities({ orm, objects }: ExportActivityDeps) {
  return {
    async failExport(target: ExportTarget, reason: FailureReason): Promise<void> {
      await onRecord(failExport(orm.em.fork(), target, reason));
    },

    cleanExport: (target: ExportTarget): Promise<void> =>
      onRecord(cleanExport({ em: orm.em.fork(), objects }, target)),
  };
}

function classify(error: unknown): FailureClass | undefined {
  if (error instanceof GoogleError) {
    const { code, message, retryable, retryAfterSeconds } = error;
    return retryable
      ? { kind: 'retryable', code, message, retryAfterSeconds, expected: true }
      : { kind: 'permanent', code, message };
  }
  if (error instanceof ExportSuperseded)
    return { kind: 'permanent', code: 'EXPORT_ENDED', message: error.message };
  if (error instanceof RecordTooSlow)
    return { kind: 'permanent', code: 'RECORD_TOO_SLOW', message: error.message };
  if (error instanceof PartsChanged)
    return { kind: 'retryable', code: 'PARTS_CHANGED', message: error.message };
  if (error instanceof EncryptionKeyUnknown || error instanceof SecretUnreadable) {
    const message = 'the connection cannot be decrypted; connect the account again';
    return { kind: 'permanent', code: 'ENCRYPTION_KEY_UNKNOWN', message };
  }
  // The folder or the record was deleted, or the text is too long for a document.
  if (error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'EXPORT_TOO_LARGE'))
    return { kind: 'permanent', code: error.code, message: error.message };
  return undefined;
}

/** A workflow so delayed that its record was removed has nothing left to do and must not retry for ever. */
async function onRecord<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    throw permanentFailure(error.code, 'the record of this export is gone', { cause: error });
  }
}
