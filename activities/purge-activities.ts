import { Context, log } from '@temporalio/activity';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { Orm } from '../db/create-orm.ts';
import { isBucketFailure } from '../domain/bucket-failure.ts';
import { storageConfigOf } from '../domain/object-keys.ts';
import { claimPurgePage } from '../services/trash/claim-purge-page.ts';
import { outage } from '../services/shared/outage.ts';
import { removeDeletedFolders } from '../services/trash/empty-folders.ts';
import { findPurgeCandidate } from '../services/trash/delete-files.ts';
import { removeFileObjects, removeFileRows, removeFailedUploads } from '../services/trash/remove-files.ts';
import { removeOldAuditEvents } from '../services/audit-log/record-audit-event.ts';
import type { PurgeCandidate, PurgeCursor, PurgePage } from '../temporal/contract/purge-files.ts';

const HEARTBEAT_MS = 10_000;

export interface PurgeDeps {
  orm: Orm;
  objects: ObjectStore;
}

/** The steps of `purgeFiles` on the `io` queue; vectors are removed by the similarity activities. */
export function createPurgeActivities({ orm, objects }: PurgeDeps) {
  /**
   * One failing file must not block the others; files that could not be removed are missing from the result. After a
   * failure of a tenant's own bucket, other files in it wait for the next purge.
   */
  async function each(
    files: readonly PurgeCandidate[],
    remove: (file: PurgeCandidate) => Promise<unknown>,
  ): Promise<PurgeCandidate[]> {
    const context = Context.current();
    const done: PurgeCandidate[] = [];
    const blocked = new Set<string | undefined>();
    // A bucket of a tenant's own may take minutes to fail.
    const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
    try {
      for (const file of files) {
        context.heartbeat();
        context.cancellationSignal.throwIfAborted();
        if (blocked.size > 0 && blocked.has(await ownBucketOf(file))) continue;
        try {
          await remove(file);
          done.push(file);
        } catch (error) {
          if (outage(error)) throw error;
          if (isBucketFailure(error)) blocked.add(await ownBucketOf(file));
          log.error('a file could not be purged', { file_id: file.fileId, err: error });
        }
      }
    } finally {
      clearInterval(beat);
    }
    return done;
  }

  async function ownBucketOf(candidate: PurgeCandidate): Promise<string | undefined> {
    const file = await findPurgeCandidate(orm.em.fork(), candidate);
    return file && storageConfigOf(file.objectKey);
  }

  return {
    claimPurgePage: (before: string | null, after?: PurgeCursor): Promise<PurgePage> =>
      claimPurgePage(orm.em.fork(), {
        ...(before !== null && { before: new Date(before) }),
        ...(after && { after }),
      }),

    /** @returns the files whose objects are all removed */
    removeFileObjects: (files: PurgeCandidate[]): Promise<PurgeCandidate[]> =>
      each(files, (file) => removeFileObjects({ em: orm.em.fork(), objects }, file)),

    /** @returns how many files had their rows removed */
    async removeFileRows(files: PurgeCandidate[]): Promise<number> {
      return (await each(files, (file) => removeFileRows(orm.em.fork(), file))).length;
    },

    /** Also rows of deleted folders that nothing refers to any more. @returns how many records of uploads were removed */
    async removeFailedUploads(): Promise<number> {
      const removed = await allBatches(() => removeFailedUploads(orm.em.fork()));
      await removeDeletedFolders(orm.em.fork());
      return removed;
    },

    /** @returns how many entries of the audit log were removed */
    removeOldAuditEvents: (): Promise<number> => allBatches(() => removeOldAuditEvents(orm.em.fork())),
  };
}

/** Removes batch after batch, and returns how many rows that were. */
async function allBatches(removeBatch: () => Promise<{ removed: number; more: boolean }>): Promise<number> {
  let removed = 0;
  for (;;) {
    Context.current().heartbeat();
    Context.current().cancellationSignal.throwIfAborted();
    const batch = await removeBatch();
    removed += batch.removed;
    if (!batch.more) return removed;
  }
}
