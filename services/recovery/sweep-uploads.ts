import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { EXPIRED, isIntentOpen } from '../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../temporal/client.ts';
import { cleanUpload } from '../uploads/direct/clean-upload.ts';
import { LATE_REQUEST_MS } from '../uploads/direct/create-upload.ts';
import { endUpload } from '../uploads/direct/end-upload.ts';
import { reconcileDirectUpload } from '../uploads/direct/reconcile-direct-upload.ts';
import { forgetUpload } from '../trash/remove-upload-records.ts';
import { beforeGrace, type SweepDeps } from './sweep.ts';
import { startOrSignalDirectUpload } from '../uploads/direct/start-or-signal-direct-upload.ts';

const BATCH = 50;
const DESCRIBE_DEADLINE_MS = 2000;
/** When to look again at an upload that is still being verified. */
const AGAIN_MS = 600_000;

/**
 * What no workflow does for an upload: tells the engine what did not reach it, ends what is long past its time, and
 * cleans the store once no URL can bring anything any more.
 *
 * @returns how many uploads it took care of
 */
export async function sweepUploads(deps: SweepDeps & { objects: ObjectStore }): Promise<number> {
  return (await tellUnsent(deps)) + (await cleanEnded(deps));
}

async function tellUnsent(deps: SweepDeps): Promise<number> {
  const unsent = await deps.em.find(
    UploadIntent,
    { signalledAt: null, updatedAt: { $lt: beforeGrace(deps) } },
    { orderBy: { updatedAt: 'asc' }, limit: BATCH },
  );
  let told = 0;
  for (const intent of unsent) {
    const outcome = await startOrSignalDirectUpload(deps, intent);
    if (outcome === 'unreachable') break;
    if (outcome === 'ended') await reconcileDirectUpload(deps, intent, DESCRIBE_DEADLINE_MS);
    told += 1;
  }
  return told;
}

async function cleanEnded(deps: {
  em: EntityManager;
  objects: ObjectStore;
  engine: Engine;
}): Promise<number> {
  const { em } = deps;
  const due = await em.find(
    UploadIntent,
    { cleanAt: { $lt: new Date() } },
    { orderBy: { cleanAt: 'asc' }, limit: BATCH },
  );
  let cleaned = 0;
  for (const intent of due) {
    const target = { uploadId: intent.id, tenantId: intent.tenantId };
    if (isIntentOpen(intent.status)) {
      // An hour past its time, so its workflow is gone, or verifies something large.
      const ended = await endUpload(em.fork(), target, { type: 'expired', reason: EXPIRED });
      if (ended === 'requested' && !(await reconcileDirectUpload(deps, intent, DESCRIBE_DEADLINE_MS))) {
        await cleanLater(em, intent, new Date(Date.now() + AGAIN_MS));
        continue;
      }
    }
    await cleanUpload({ em: em.fork(), objects: deps.objects }, target);
    const last = intent.expiresAt.getTime() + LATE_REQUEST_MS;
    await cleanLater(em, intent, last > Date.now() ? new Date(last) : null);
    if (last <= Date.now()) await forgetUpload(em, intent.id);
    cleaned += 1;
  }
  return cleaned;
}

async function cleanLater(em: EntityManager, { id }: UploadIntent, cleanAt: Date | null): Promise<void> {
  await em.nativeUpdate(UploadIntent, { id }, { cleanAt });
}
