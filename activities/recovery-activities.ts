import { Context } from '@temporalio/activity';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { Orm } from '../db/create-orm.ts';
import { removeExpired } from '../services/accounts/remove-expired.ts';
import { cleanEndedExports } from '../services/exports/end-export.ts';
import { emptyDeletedTenants } from '../services/recovery/empty-deleted-tenants.ts';
import { dispatchPending, reconcileStale } from '../services/recovery/sweeps.ts';
import { removeFormerDescriptions } from '../services/reprocessing/roll-back.ts';
import { purgeKeys } from '../services/shared/idempotency.ts';
import { applyRetention } from '../services/trash/apply-retention.ts';
import { emptyDeletedFolders } from '../services/trash/empty-folders.ts';
import { forgetRetiredStorage } from '../services/storage/retire-storage.ts';
import { forgetUpload } from '../services/trash/remove-files.ts';
import { removeAbandonedObjects } from '../services/uploads/claimed-objects.ts';
import { cleanEndedUploads } from '../services/direct-uploads/clean-ended-uploads.ts';
import { removeEndedWebhooks } from '../services/webhooks/remove-ended.ts';
import type { Engine } from '../temporal/client.ts';
import { repeatedly } from './repeatedly.ts';

/** Time limit: deleted folders may have more files than one sweep can move to the trash. */
const FOLDERS_MS = 8000;
/** The same for files whose retention is over, of which all tenants are searched. */
const RETENTION_MS = 8000;
/** Retention counts days. */
const RETAINED_EVERY_MS = 600_000;

export interface RecoveryActivityDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  sweepSeconds: number;
  /** Aborted when the worker stops. */
  stopping: AbortSignal;
}

/** The activities of the schedules, on the `io` queue. */
export function createRecoveryActivities(deps: RecoveryActivityDeps) {
  const { orm, engine, objects, sweepSeconds, stopping } = deps;
  let retainAfter = 0;
  const every = { everySeconds: sweepSeconds, stopping };

  async function findDue(): Promise<number> {
    const until = Date.now() + FOLDERS_MS;
    const moved = await emptyDeletedFolders({ em: orm.em.fork(), engine }, sweepSeconds, until);
    return moved + (await dispatchPending({ em: orm.em.fork(), engine }, sweepSeconds));
  }

  async function retain(): Promise<void> {
    if (Date.now() < retainAfter) return;
    const { more } = await applyRetention({ em: orm.em.fork(), engine }, Date.now() + RETENTION_MS);
    if (!more) retainAfter = Date.now() + RETAINED_EVERY_MS;
  }

  async function findEnded(): Promise<number> {
    const em = orm.em.fork();
    await purgeKeys(em);
    await forgetRetiredStorage(em);
    await removeExpired(em);
    await cleanEndedExports({ em, objects });
    await removeFormerDescriptions(em);
    await emptyDeletedTenants(em);
    await removeEndedWebhooks(em);
    const cleaned = await cleanEndedUploads({ em, objects, engine }, (uploadId) =>
      forgetUpload(em.fork(), uploadId),
    );
    await retain();
    return cleaned;
  }

  return {
    /** Each search returns the seconds that it has run. */
    dispatchPending: (forSeconds: number): Promise<number> => repeatedly(findDue, { ...every, forSeconds }),
    cleanEnded: (forSeconds: number): Promise<number> => repeatedly(findEnded, { ...every, forSeconds }),

    reconcileStale: (): Promise<number> =>
      reconcileStale({ em: orm.em.fork(), engine }, (seen) => Context.current().heartbeat({ seen })),

    removeAbandonedObjects: (): Promise<number> => removeAbandonedObjects({ em: orm.em.fork(), objects }),
  };
}
