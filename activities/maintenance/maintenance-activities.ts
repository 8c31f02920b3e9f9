import type { Orm } from '../../db/create-orm.ts';
import { startOrphans } from '../../services/start-orphans.ts';
import type { Engine } from '../../temporal/client.ts';

/** What the schedules do, on the `io` queue. */
export function createMaintenanceActivities({ orm, engine }: { orm: Orm; engine: Engine }) {
  return {
    startOrphans: (): Promise<number> => startOrphans({ em: orm.em.fork(), engine }),
  };
}
