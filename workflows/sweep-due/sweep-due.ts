import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { quickIo } from '../activity-options.ts';

/**
 * Reconciles rows that are due at the engine, and ends and cleans direct uploads whose time is over. Run by a schedule;
 * returns how many of both.
 */
export async function sweepDue(): Promise<number> {
  const activities = proxyActivities<Activities>({ ...quickIo, taskQueue: QUEUES.io });
  const reconciled = await activities.sweepDue.executeWithOptions(
    { summary: 'Rows that are due at the engine' },
    [],
  );
  const cleaned = await activities.cleanEndedUploads.executeWithOptions(
    { summary: 'Direct uploads whose time is over' },
    [],
  );
  return reconciled + cleaned;
}
