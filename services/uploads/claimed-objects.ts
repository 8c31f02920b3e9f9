import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { ClaimedObject } from '../../db/entities/uploads/claimed-object.ts';

/** No upload takes that long: a request may last an hour. */
const ABANDONED_AFTER_MS = 2 * 3_600_000;
const BATCH = 200;

/** Notes that an upload is about to write under this key. */
export async function claimObject(em: EntityManager, objectKey: string): Promise<void> {
  await em.insert(ClaimedObject, { objectKey, claimedAt: new Date() });
}

/**
 * Removes what was stored under a claimed key, and the claim. What cannot be removed now keeps its claim and goes with
 * the abandoned ones: nobody has to wait for that, and it hides no better reason.
 *
 * @param onError told why, for the log
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

/** Crosses a claim out: the key has a row now, or nothing is left under it. */
export async function releaseClaim(em: EntityManager, objectKey: string): Promise<void> {
  await em.nativeDelete(ClaimedObject, { objectKey });
}

/**
 * Removes what uploads left behind whose process died before there was a row: objects, and parts of objects. A claim
 * that is still there says that there is none, because the transaction that writes the row crosses it out.
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
  for (const { objectKey } of claims) {
    for await (const upload of objects.listIncompleteUploads(objectKey)) await objects.abortMultipart(upload);
    await objects.remove([objectKey]);
    await releaseClaim(em, objectKey);
  }
  return claims.length;
}
