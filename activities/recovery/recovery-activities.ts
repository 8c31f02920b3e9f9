import { Context } from '@temporalio/activity';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import { removeExpired } from '../../services/accounts/remove-expired.ts';
import { cleanEndedExports } from '../../services/exports/clean-export.ts';
import { emptyDeletedTenants } from '../../services/recovery/empty-deleted-tenants.ts';
import { sweepDue } from '../../services/recovery/sweep-due.ts';
import { sweepQuiet } from '../../services/recovery/sweep-quiet.ts';
import { purgeKeys } from '../../services/shared/idempotency.ts';
import { emptyDeletedFolders } from '../../services/trash/empty-folders.ts';
import { forgetRetiredStorage } from '../../services/storage/storage-in-use.ts';
import { forgetUpload } from '../../services/trash/remove-upload-records.ts';
import { removeAbandonedObjects } from '../../services/uploads/claimed-objects.ts';
import { cleanEndedUploads } from '../../services/uploads/direct/clean-ended-uploads.ts';
import type { Engine } from '../../temporal/client.ts';

/** Deleted folders may have more files than one sweep moves to the trash. */
const FOLDERS_MS = 8000;

export interface RecoveryActivityDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  sweepSeconds: number;
}

/** The activities of the schedules, on the `io` queue. */
export function createRecoveryActivities({ orm, engine, objects, sweepSeconds }: RecoveryActivityDeps) {
  return {
    async sweepDue(): Promise<number> {
      const until = Date.now() + FOLDERS_MS;
      const moved = await emptyDeletedFolders({ em: orm.em.fork(), engine }, sweepSeconds, until);
      return moved + (await sweepDue({ em: orm.em.fork(), engine }, sweepSeconds));
    },

    sweepQuiet: (): Promise<number> =>
      sweepQuiet({ em: orm.em.fork(), engine }, (seen) => Context.current().heartbeat({ seen })),

    async cleanEndedUploads(): Promise<number> {
      const em = orm.em.fork();
      await purgeKeys(em);
      await forgetRetiredStorage(em);
      await removeExpired(em);
      await cleanEndedExports({ em, objects });
      await emptyDeletedTenants(em);
      return cleanEndedUploads({ em, objects, engine }, (uploadId) => forgetUpload(em.fork(), uploadId));
    },

    removeAbandonedObjects: (): Promise<number> => removeAbandonedObjects({ em: orm.em.fork(), objects }),
  };
}
