import { log } from '@temporalio/activity';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { WebFetch } from '../adapters/web-fetch/web-fetch.ts';
import type { Orm } from '../db/create-orm.ts';
import { AppError } from '../domain/app-error.ts';
import type { FailureReason } from '../domain/components.ts';
import { failImageImport } from '../services/image-imports/end-image-import.ts';
import { importImage } from '../services/image-imports/import-image.ts';
import type { PartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import type { Engine } from '../temporal/client.ts';
import { permanentFailure } from '../temporal/contract/failures.ts';
import type { ImportOutcome, ImportTarget } from '../temporal/contract/import-image.ts';
import { attempt } from './attempt.ts';
import { classifyWebFailure } from './classify-failures.ts';

export interface WebActivityDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  web: WebFetch;
  partBuffers: PartBuffers;
}

/** Activities that fetch URLs given by clients, on the `web` queue. */
export function createWebActivities({ orm, engine, objects, web, partBuffers: buffers }: WebActivityDeps) {
  const onError = (err: unknown, what: string) => log.error(what, { err });
  return {
    fetchImportedImage: (target: ImportTarget): Promise<ImportOutcome> =>
      attempt(
        ({ signal }) =>
          importImage({ em: orm.em.fork(), engine, objects, web, buffers, onError }, target, signal),
        classifyWebFailure,
      ),
  };
}

/** The record of an import, on the `io` queue. */
export function createImageImportActivities({ orm }: Pick<WebActivityDeps, 'orm'>) {
  return {
    async failImageImport(target: ImportTarget, reason: FailureReason): Promise<void> {
      try {
        await failImageImport(orm.em.fork(), target, reason);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
        throw permanentFailure(error.code, 'the record of this import is gone', { cause: error });
      }
    },
  };
}
