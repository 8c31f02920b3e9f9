import { Context } from '@temporalio/activity';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import { removeAbandonedObjects } from '../../services/uploads/claimed-objects.ts';
import { recoverLostFiles } from '../../services/recovery/recover-lost-files.ts';
import { recoverLostUploadSessions } from '../../services/recovery/recover-lost-upload-sessions.ts';
import { startDueIndexChanges } from '../../services/recovery/start-due-index-changes.ts';
import { startOrphanUploadSessions } from '../../services/recovery/start-orphan-upload-sessions.ts';
import { startOrphans } from '../../services/recovery/start-orphans.ts';
import type { Engine } from '../../temporal/client.ts';

export interface RecoveryDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  sweepSeconds: number;
}

/** What the schedules do, on the `io` queue. */
export function createRecoveryActivities({ orm, engine, objects, sweepSeconds }: RecoveryDeps) {
  return {
    recoverLostFiles: (): Promise<number> =>
      recoverLostFiles({
        em: orm.em.fork(),
        engine,
        onProgress: (checked) => Context.current().heartbeat({ checked }),
      }),
    recoverLostUploadSessions: (): Promise<number> =>
      recoverLostUploadSessions({
        em: orm.em.fork(),
        engine,
        onProgress: (checked) => Context.current().heartbeat({ checked }),
      }),
    removeAbandonedObjects: (): Promise<number> => removeAbandonedObjects({ em: orm.em.fork(), objects }),
    /**
     * All that waits for the engine, and its files' entries in the similarity index as well. Sessions before files: what
     * an open session holds, it starts itself.
     */
    async startOrphans(): Promise<number> {
      const deps = () => ({ em: orm.em.fork(), engine, graceSeconds: sweepSeconds });
      const sessions = await startOrphanUploadSessions(deps());
      const files = await startOrphans(deps());
      return sessions + files + (await startDueIndexChanges(deps()));
    },
  };
}
