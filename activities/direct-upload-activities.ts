import { sniffContentType } from '../engines/content-sniffer/content-sniffer.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { Orm } from '../db/create-orm.ts';
import type { FailureReason } from '../domain/components.ts';
import { AppError } from '../domain/app-error.ts';
import { isBucketFailure } from '../domain/bucket-failure.ts';
import { EXPIRED, type DirectUploadStatus } from '../domain/uploads/direct-upload.ts';
import { cleanUpload } from '../services/direct-uploads/clean-ended-uploads.ts';
import { endUpload, signalUploadEnd } from '../services/direct-uploads/change-upload.ts';
import { findUpload, type UploadTarget } from '../services/direct-uploads/find-upload.ts';
import { verifyUpload } from '../services/direct-uploads/verify-upload.ts';
import type { Engine } from '../temporal/client.ts';
import type { VerificationOutcome } from '../temporal/contract/direct-upload.ts';
import { permanentFailure } from '../temporal/contract/failures.ts';
import { attempt } from './attempt.ts';

export interface DirectUploadDeps {
  orm: Orm;
  objects: ObjectStore;
  engine: Engine;
}

/** The side effects of `directUpload`, on the `io` queue. */
export function createDirectUploadActivities({ orm, objects, engine }: DirectUploadDeps) {
  async function end(target: UploadTarget, event: Parameters<typeof endUpload>[2]) {
    const ended = await endUpload(orm.em.fork(), target, event);
    const em = orm.em.fork();
    await signalUploadEnd({ em, engine }, await findUpload(em, target));
    return ended;
  }

  return {
    verifyUpload: (target: UploadTarget): Promise<VerificationOutcome> =>
      attempt(
        ({ signal }) =>
          verifyUpload({ em: orm.em.fork(), objects, engine, detect: sniffContentType }, target, signal),
        () => undefined,
      ),

    expireUpload: (target: UploadTarget): Promise<'ended' | 'requested'> =>
      onRecord(end(target, { type: 'expired', reason: EXPIRED })),

    async failUpload(target: UploadTarget, reason: FailureReason): Promise<void> {
      await onRecord(end(target, { type: 'refused', reason }));
    },

    /** A bucket of the tenant's own that cannot be used is left to the sweep. */
    async cleanUpload(target: UploadTarget): Promise<DirectUploadStatus> {
      try {
        return await onRecord(cleanUpload({ em: orm.em.fork(), objects }, target));
      } catch (error) {
        if (!isBucketFailure(error)) throw error;
        return (await findUpload(orm.em.fork(), target)).status;
      }
    },
  };
}

/** A workflow so delayed that a purge removed its record has nothing left to do and must not retry for ever. */
async function onRecord<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    throw permanentFailure(error.code, 'the record of this upload is gone', { cause: error });
  }
}
