import { log } from '@temporalio/activity';
import type { SecretCipher } from '../adapters/encryption/secret-cipher.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { AddressGuard } from '../adapters/outbound/address-guard.ts';
import type { AllowedFolder } from '../adapters/source-folder/allowed-folder.ts';
import type { WebFetch } from '../adapters/web-fetch/web-fetch.ts';
import type { TextWork } from '../engines/text-work/text-work.ts';
import type { Orm } from '../db/create-orm.ts';
import { AppError } from '../domain/app-error.ts';
import type { FailureReason } from '../domain/components.ts';
import { completeImport, failImport } from '../services/imports/change-import.ts';
import type { ImportRun } from '../services/imports/find-import.ts';
import { importItems } from '../services/imports/import-items.ts';
import { listSource } from '../services/imports/list-source.ts';
import type { PartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import type { Engine } from '../temporal/client.ts';
import { permanentFailure } from '../temporal/contract/failures.ts';
import type { ImportRound } from '../temporal/contract/import-files.ts';
import { attempt } from './attempt.ts';

export interface ImportActivityDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  cipher: SecretCipher;
  web: WebFetch;
  text: TextWork;
  /** For buckets of tenants. */
  bucketGuard: AddressGuard;
  /** Folders of the server that files may be imported from. */
  importFolders: readonly AllowedFolder[];
  partBuffers: PartBuffers;
}

/** The rounds of `importFiles`, on the queue `imports`. */
export function createImportActivities({
  orm,
  bucketGuard: guard,
  importFolders: folders,
  partBuffers: buffers,
  ...deps
}: ImportActivityDeps) {
  const onError = (err: unknown, what: string) => log.error(what, { err });
  return {
    listImportSource: (run: ImportRun): Promise<ImportRound> =>
      attempt(
        (controls) => onRecord(listSource({ ...deps, em: orm.em.fork(), guard, folders }, run, controls)),
        () => undefined,
      ),

    importListedItems: (run: ImportRun): Promise<ImportRound> =>
      attempt(
        (controls) =>
          onRecord(
            importItems({ ...deps, em: orm.em.fork(), guard, folders, buffers, onError }, run, controls),
          ),
        () => undefined,
      ),
  };
}

/** The end of `importFiles`, on the `io` queue. */
export function createImportRecordActivities({ orm }: Pick<ImportActivityDeps, 'orm'>) {
  return {
    completeImport: (run: ImportRun): Promise<void> => onRecord(completeImport(orm.em.fork(), run)),

    async failImport(run: ImportRun, reason: FailureReason): Promise<void> {
      await onRecord(failImport(orm.em.fork(), run, reason));
    },
  };
}

/** A workflow so delayed that its record was removed has nothing left to do and must not retry for ever. */
async function onRecord<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    throw permanentFailure(error.code, 'the record of this import is gone', { cause: error });
  }
}
