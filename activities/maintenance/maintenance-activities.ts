import type { Orm } from '../../db/create-orm.ts';
import { startDueIndexChanges } from '../../services/start-due-index-changes.ts';
import { startOrphans } from '../../services/start-orphans.ts';
import type { Engine } from '../../temporal/client.ts';

/** What the schedules do, on the `io` queue. */
export function createMaintenanceActivities({ orm, engine }: { orm: Orm; engine: Engine }) {
  return {
    /** All that waits for the engine, and its files' entries in the similarity index as well. */
    async startOrphans(): Promise<number> {
      const deps = { em: orm.em.fork(), engine };
      return (await startOrphans(deps)) + (await startDueIndexChanges(deps));
    },
  };
}
