import { log } from '@temporalio/activity';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { Orm } from '../db/create-orm.ts';
import { AppError } from '../domain/app-error.ts';
import { isBucketFailure } from '../domain/bucket-failure.ts';
import type { FailureReason } from '../domain/components.ts';
import type { DocumentReader } from '../engines/document-reader/document-reader.ts';
import type { TextWork } from '../engines/text-work/text-work.ts';
import type { DocumentCache } from '../services/documents/document-cache.ts';
import { endSplit } from '../services/splits/end-split.ts';
import { planSplit } from '../services/splits/plan-split.ts';
import { storeSplitParts } from '../services/splits/store-split-parts.ts';
import type { PartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import type { Engine } from '../temporal/client.ts';
import type { SplitTarget } from '../temporal/contract/split-document.ts';
import { attempt, type FailureClass } from './attempt.ts';
import { classifyDocumentFailure } from './classify-failures.ts';

interface SplitDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  reader: DocumentReader;
  copies: DocumentCache;
  text: TextWork;
  partBuffers: PartBuffers;
}

/** Finding and storing the parts of a document, on the `documents` queue. */
export function createSplitActivities({ orm, text, partBuffers: buffers, ...deps }: SplitDeps) {
  const onError = (err: unknown, what: string) => log.error(what, { err });
  return {
    /** @returns how many parts are to be stored */
    planSplit: (target: SplitTarget): Promise<number> =>
      attempt(
        ({ signal }) => planSplit({ em: orm.em.fork(), text, ...deps }, target, signal),
        classifySplitFailure,
      ),

    /** @returns how many parts are left */
    storeSplitParts: (target: SplitTarget): Promise<number> =>
      attempt(
        ({ signal }) => storeSplitParts({ em: orm.em.fork(), buffers, onError, ...deps }, target, signal),
        classifySplitFailure,
      ),
  };
}

/** The end of a split that cannot go on, on the `io` queue. */
export function createSplitRecordActivities({ orm }: Pick<SplitDeps, 'orm'>) {
  return {
    async failSplit(target: SplitTarget, error: FailureReason): Promise<void> {
      await endSplit(orm.em.fork(), target, { status: 'failed', error });
    },
  };
}

/** What an upload of a part would be refused for, refuses the part. */
function classifySplitFailure(error: unknown): FailureClass | undefined {
  if (error instanceof AppError && !isBucketFailure(error))
    return { kind: 'permanent', code: error.code, message: error.message };
  return classifyDocumentFailure(error);
}
