import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { longIo } from '../activity-options.ts';

/**
 * Keeps the usage analytics: makes partitions of events ahead, drops those whose time is over, and rolls up the hours
 * and days that have ended. Run by a schedule.
 *
 * @returns hours rolled up
 */
export async function maintainUsageTables(): Promise<number> {
  const activities = proxyActivities<Activities>({ ...longIo, taskQueue: QUEUES.io });
  await activities.maintainUsagePartitions.executeWithOptions({ summary: 'Months of usage events' }, []);
  const hours = await activities.rollUpUsage.executeWithOptions({ summary: 'Hours and days of usage' }, []);
  setCurrentDetails(`${hours} hours of usage rolled up.`);
  return hours;
}
