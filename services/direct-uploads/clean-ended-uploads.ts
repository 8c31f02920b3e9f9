import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { isBucketGone } from '../storage/explain-bucket-failure.ts';
import { EXPIRED, isDirectUploadOpen, type DirectUploadStatus } from '../../domain/uploads/direct-upload.ts';
import type { Engine } from '../../temporal/client.ts';
import { SWEEP_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { acknowledge } from '../shared/due.ts';
import { LATE_REQUEST_MS } from './create-upload.ts';
import { endUpload } from './change-upload.ts';
import { reconcileDirectUpload } from './reconcile-direct-upload.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { incomingKey, originalPrefix, placeOf } from '../../domain/object-keys.ts';
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
    DirectUpload,
    { cleanAt: { $lt: new Date() } },
    { orderBy: { cleanAt: 'asc' }, limit: BATCH },
  );
  let cleaned = 0;
  for (const upload of due) {
    const target = { uploadId: upload.id, tenantId: upload.tenantId };
    if (isDirectUploadOpen(upload.status)) {
      // An hour past expiry: its workflow is gone, or is verifying something large.
      const ended = await endUpload(em.fork(), target, { type: 'expired', reason: EXPIRED });
      if (ended === 'requested' && !(await reconcileDirectUpload(deps, upload, SWEEP_DEADLINE_MS))) {
        await cleanLater(em, upload, new Date(Date.now() + AGAIN_MS));
        continue;
      }
    }
    try {
      await cleanUpload({ em: em.fork(), objects }, target);
    } catch (error) {
      if (!isBucketFailure(error)) throw error;
      if (!isBucketGone(error)) {
        await cleanLater(em, upload, new Date(Date.now() + AGAIN_MS));
        continue;
      }
    }
    const last = upload.expiresAt.getTime() + LATE_REQUEST_MS;
    await cleanLater(em, upload, last > Date.now() ? new Date(last) : null);
    if (last <= Date.now()) await forget(upload.id);
    cleaned += 1;
  }
  return cleaned;
}

async function cleanLater(em: EntityManager, { id }: DirectUpload, cleanAt: Date | null): Promise<void> {
  await em.nativeUpdate(DirectUpload, { id }, { cleanAt });
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
): Promise<DirectUploadStatus> {
  const upload = await findUpload(em, target);
  if (isDirectUploadOpen(upload.status)) return upload.status;
  const { tenantId, fileId } = upload;
  const place = placeOf(tenantId, upload.objectKey);
  const prefix = originalPrefix(place, fileId);
  for await (const multipart of objects.listIncompleteUploads(prefix))
    await objects.abortMultipart(multipart);
  const leftovers = [incomingKey(place, upload.id)];
  const file = await em.findOne(StoredFile, { id: fileId, tenantId });
  for await (const { key } of objects.list(prefix)) if (key !== file?.objectKey) leftovers.push(key);
  await objects.remove(leftovers);
  await acknowledge(em, DirectUpload, upload);
  return upload.status;
}
