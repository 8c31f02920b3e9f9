import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { isBucketFailure } from '../../../domain/bucket-failure.ts';
import { isBucketGone } from '../../storage/explain-bucket-failure.ts';
import { EXPIRED, isIntentOpen, type IntentStatus } from '../../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../../temporal/client.ts';
import { SWEEP_DEADLINE_MS } from '../../../temporal/deadlines.ts';
import { acknowledge } from '../../shared/due.ts';
import { LATE_REQUEST_MS } from './create-upload.ts';
import { endUpload } from './change-upload.ts';
import { reconcileDirectUpload } from './reconcile-direct-upload.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { incomingKey, originalPrefix, placeOf } from '../../../domain/object-keys.ts';
import { findUpload, type UploadTarget } from './find-upload.ts';

const BATCH = 50;
/** Delay before checking an upload again that is still being verified. */
const AGAIN_MS = 600_000;

/**
 * Ends direct uploads that are long expired, and cleans the store of those that no workflow cleans, once no URL can
 * deliver any more bytes.
 *
 * @param forget removes the record of an upload that needs no more cleaning
 * @returns how many uploads were cleaned
 */
export async function cleanEndedUploads(
  deps: { em: EntityManager; objects: ObjectStore; engine: Engine },
  forget: (uploadId: string) => Promise<void>,
): Promise<number> {
  const { em, objects } = deps;
  const due = await em.find(
    UploadIntent,
    { cleanAt: { $lt: new Date() } },
    { orderBy: { cleanAt: 'asc' }, limit: BATCH },
  );
  let cleaned = 0;
  for (const intent of due) {
    const target = { uploadId: intent.id, tenantId: intent.tenantId };
    if (isIntentOpen(intent.status)) {
      // An hour past expiry: its workflow is gone, or is verifying something large.
      const ended = await endUpload(em.fork(), target, { type: 'expired', reason: EXPIRED });
      if (ended === 'requested' && !(await reconcileDirectUpload(deps, intent, SWEEP_DEADLINE_MS))) {
        await cleanLater(em, intent, new Date(Date.now() + AGAIN_MS));
        continue;
      }
    }
    try {
      await cleanUpload({ em: em.fork(), objects }, target);
    } catch (error) {
      if (!isBucketFailure(error)) throw error;
      if (!isBucketGone(error)) {
        await cleanLater(em, intent, new Date(Date.now() + AGAIN_MS));
        continue;
      }
    }
    const last = intent.expiresAt.getTime() + LATE_REQUEST_MS;
    await cleanLater(em, intent, last > Date.now() ? new Date(last) : null);
    if (last <= Date.now()) await forget(intent.id);
    cleaned += 1;
  }
  return cleaned;
}

async function cleanLater(em: EntityManager, { id }: UploadIntent, cleanAt: Date | null): Promise<void> {
  await em.nativeUpdate(UploadIntent, { id }, { cleanAt });
}

/**
 * Removes the leftovers of an ended upload from the store: parts, copies, and late writes through its URL. The object
 * of its file is kept. Idempotent.
 *
 * @throws AppError of a bucket of the tenant's own that cannot be used
 */
export async function cleanUpload(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  target: UploadTarget,
): Promise<IntentStatus> {
  const intent = await findUpload(em, target);
  if (isIntentOpen(intent.status)) return intent.status;
  const { tenantId, fileId } = intent;
  const place = placeOf(tenantId, intent.objectKey);
  const prefix = originalPrefix(place, fileId);
  for await (const upload of objects.listIncompleteUploads(prefix)) await objects.abortMultipart(upload);
  const leftovers = [incomingKey(place, intent.id)];
  const file = await em.findOne(StoredFile, { id: fileId, tenantId });
  for await (const { key } of objects.list(prefix)) if (key !== file?.objectKey) leftovers.push(key);
  await objects.remove(leftovers);
  await acknowledge(em, UploadIntent, intent);
  return intent.status;
}
