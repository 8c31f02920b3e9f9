import { Context } from '@temporalio/activity';
import type { Orm } from '../db/create-orm.ts';
import { createUsagePartitions, dropOldUsage } from '../services/usage/partitions.ts';
import { rollUpLateHour, rollUpNextHour } from '../services/usage/roll-up.ts';

/** Rollups and partitions of usage events, on the `io` queue. */
export function createUsageActivities({ orm }: { orm: Orm }) {
  return {
    async maintainUsagePartitions(): Promise<void> {
      await createUsagePartitions(orm.em.fork());
      await dropOldUsage(orm.em.fork());
    },

    /** @returns hours rolled up, late ones included */
    async rollUpUsage(): Promise<number> {
      let hours = 0;
      for (const rollUp of [rollUpLateHour, rollUpNextHour]) {
        while (await rollUp(orm.em.fork())) {
          hours += 1;
          Context.current().heartbeat({ hours });
        }
      }
      return hours;
    },
  };
}
