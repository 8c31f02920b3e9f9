import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { UploadPart } from '../../db/entities/uploads/upload-part.ts';
import { isDirectUploadOpen } from '../../domain/uploads/direct-upload.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { findUpload, lockUpload, type UploadTarget } from './find-upload.ts';
import { reconcileDirectUpload } from './reconcile-direct-upload.ts';
import type { UploadProgress } from './list-uploads.ts';
import { outage } from '../shared/outage.ts';
import { changeUpload } from './change-upload.ts';

/**
 * Reconciles an open upload with the engine and the store, then reads it.
 *
 * @returns the upload and how many of its parts are confirmed
 */
export async function observeDirectUpload(
  deps: { em: EntityManager; objects: ObjectStore; engine: Engine },
  target: UploadTarget,
): Promise<UploadProgress> {
  const { em } = deps;
  const upload = await findUpload(em, target);
  if (isDirectUploadOpen(upload.status)) {
    await reconcileIfReachable(deps, upload);
    await detectIfReachable(deps, upload);
  }
  const partsConfirmed = upload.totalParts ? await em.count(UploadPart, { uploadId: upload.id }) : 0;
  return { upload: await findUpload(em, target), partsConfirmed };
}

async function reconcileIfReachable(
  deps: { em: EntityManager; engine: Engine },
  upload: DirectUpload,
): Promise<void> {
  try {
    await reconcileDirectUpload(deps, upload, READ_DEADLINE_MS);
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
}

async function detectIfReachable(
  deps: { em: EntityManager; objects: ObjectStore },
  upload: DirectUpload,
): Promise<void> {
  if (upload.status !== 'PENDING') return;
  const signal = AbortSignal.timeout(READ_DEADLINE_MS);
  try {
    await detectObject(deps, upload, signal);
  } catch (error) {
    if (!signal.aborted && !isBucketFailure(error) && outage(error) !== 'object store') throw error;
  }
}

/**
 * Checks whether the object of a single-PUT upload has arrived, and records it.
 *
 * @returns whether it exists; true for a multipart upload, whose parts are counted instead
 */
export async function detectObject(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  upload: DirectUpload,
  signal?: AbortSignal,
): Promise<boolean> {
  if (upload.mode === 'multipart') return true;
  if (!(await objects.stat(upload.objectKey, { signal }))) return false;
  if (upload.status !== 'PENDING') return true;
  await em.transactional(async (tx) => {
    const current = await lockUpload(tx, { uploadId: upload.id, tenantId: upload.tenantId });
    if (current.status === 'PENDING') changeUpload(current, { type: 'bytes_seen' });
  });
  await em.refreshOrFail(upload);
  return true;
}
