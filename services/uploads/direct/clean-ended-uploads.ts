import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { isBucketFailure } from '../../../domain/bucket-failure.ts';
import { isBucketGone } from '../../storage/explain-bucket-failure.ts';
import { EXPIRED, isIntentOpen } from '../../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../../temporal/client.ts';
import { SWEEP_DEADLINE_MS } from '../../../temporal/deadlines.ts';
import { cleanUpload } from './clean-upload.ts';
import { LATE_REQUEST_MS } from './create-upload.ts';
import { endUpload } from './end-upload.ts';
import { reconcileDirectUpload } from './reconcile-direct-upload.ts';

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
