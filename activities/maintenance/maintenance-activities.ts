import type { Orm } from '../../db/create-orm.ts';
import { startOrphanSessions } from '../../services/start-orphan-sessions.ts';
import { startOrphans } from '../../services/start-orphans.ts';
import type { Engine } from '../../temporal/client.ts';

/** What the schedules do, on the `io` queue. */
export function createMaintenanceActivities({ orm, engine }: { orm: Orm; engine: Engine }) {
  return {
    /** Sessions before files: what an open session holds, it starts itself. */
    async startOrphans(): Promise<number> {
      const sessions = await startOrphanSessions({ em: orm.em.fork(), engine });
      return sessions + (await startOrphans({ em: orm.em.fork(), engine }));
    },
  };
}
