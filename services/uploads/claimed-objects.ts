import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { isBucketGone } from '../storage/explain-bucket-failure.ts';
import { ClaimedObject } from '../../db/entities/uploads/claimed-object.ts';

/** Longer than any upload: a request may last an hour. */
const ABANDONED_AFTER_MS = 2 * 3_600_000;
const BATCH = 200;

/** Records that an upload is about to write to this key. */
export async function claimObject(em: EntityManager, objectKey: string): Promise<void> {
  await em.insert(ClaimedObject, { objectKey, claimedAt: new Date() });
}

/**
 * Removes the object under a claimed key, and the claim. On failure the claim stays and the object is removed with the
 * abandoned ones, so that no caller waits for it and the original error is not masked.
 *
 * @param onError called with the cause, for the log
 */
export async function discardObject(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  objectKey: string,
  onError: (error: unknown) => void = () => undefined,
): Promise<void> {
  try {
    await objects.remove([objectKey]);
    await releaseClaim(em, objectKey);
  } catch (error) {
    onError(error);
  }
}

/** Deletes a claim: the key has a row now, or no object. */
export async function releaseClaim(em: EntityManager, objectKey: string): Promise<void> {
  await em.nativeDelete(ClaimedObject, { objectKey });
}

/** Claims objects that are no longer used, so that the next sweep removes those that still exist. */
export async function handOverToSweep(tx: EntityManager, objectKeys: readonly string[]): Promise<void> {
  const claimedAt = new Date(Date.now() - ABANDONED_AFTER_MS);
  if (objectKeys.length > 0) {
    await tx.upsertMany(
      ClaimedObject,
      objectKeys.map((objectKey) => ({ objectKey, claimedAt })),
    );
  }
}

/**
 * Removes objects, and parts of objects, of uploads whose process died before writing a row. A remaining claim proves
 * that there is no row, because the transaction that writes the row deletes the claim.
 *
 * @returns how many keys were cleaned
 */
export async function removeAbandonedObjects(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  now = new Date(),
): Promise<number> {
  const claims = await em.find(
    ClaimedObject,
    { claimedAt: { $lt: new Date(now.getTime() - ABANDONED_AFTER_MS) } },
    { orderBy: { claimedAt: 'asc' }, limit: BATCH },
  );
  let cleaned = 0;
  for (const { objectKey } of claims) {
    try {
      for await (const found of objects.listIncompleteUploads(objectKey)) await objects.abortMultipart(found);
      await objects.remove([objectKey]);
    } catch (error) {
      if (!isBucketFailure(error)) throw error;
      // Behind all others, which must not wait for one tenant's bucket.
      if (!isBucketGone(error)) {
        await em.nativeUpdate(ClaimedObject, { objectKey }, { claimedAt: now });
        continue;
      }
    }
    await releaseClaim(em, objectKey);
    cleaned += 1;
  }
  return cleaned;
}
