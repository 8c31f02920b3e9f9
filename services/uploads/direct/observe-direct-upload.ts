import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { isBucketFailure } from '../../../domain/bucket-failure.ts';
import { UploadPart } from '../../../db/entities/uploads/upload-part.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';
import { EngineUnavailable, type Engine } from '../../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../../temporal/deadlines.ts';
import { findUpload, lockUpload, type UploadTarget } from './find-upload.ts';
import { reconcileDirectUpload } from './reconcile-direct-upload.ts';
import { outage } from '../../shared/outage.ts';
import { changeUpload } from './change-upload.ts';

/**
 * Reconciles an open upload with the engine and the store, then reads it.
 *
 * @returns the intent and how many of its parts are confirmed
 */
export async function observeDirectUpload(
  deps: { em: EntityManager; objects: ObjectStore; engine: Engine },
  target: UploadTarget,
): Promise<{ intent: UploadIntent; partsConfirmed: number }> {
  const { em } = deps;
  const intent = await findUpload(em, target);
  if (isIntentOpen(intent.status)) {
    await reconcileIfReachable(deps, intent);
    await detectIfReachable(deps, intent);
  }
  const partsConfirmed = intent.totalParts ? await em.count(UploadPart, { uploadId: intent.id }) : 0;
  return { intent: await findUpload(em, target), partsConfirmed };
}

async function reconcileIfReachable(
  deps: { em: EntityManager; engine: Engine },
  intent: UploadIntent,
): Promise<void> {
  try {
    await reconcileDirectUpload(deps, intent, READ_DEADLINE_MS);
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
}

async function detectIfReachable(
  deps: { em: EntityManager; objects: ObjectStore },
  intent: UploadIntent,
): Promise<void> {
  if (intent.status !== 'PENDING') return;
  const signal = AbortSignal.timeout(READ_DEADLINE_MS);
  try {
    await detectObject(deps, intent, signal);
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
  intent: UploadIntent,
  signal?: AbortSignal,
): Promise<boolean> {
  if (intent.mode === 'multipart') return true;
  if (!(await objects.stat(intent.objectKey, { signal }))) return false;
  if (intent.status !== 'PENDING') return true;
  await em.transactional(async (tx) => {
    const current = await lockUpload(tx, { uploadId: intent.id, tenantId: intent.tenantId });
    if (current.status === 'PENDING') changeUpload(current, { type: 'bytes_seen' });
  });
  await em.refreshOrFail(intent);
  return true;
}
