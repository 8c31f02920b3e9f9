import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { quickIo } from '../activity-options.ts';

/**
 * Reconciles rows whose `engine_due_at` is past, and ends and cleans up expired direct uploads. Run by a schedule;
 * returns the total number of both.
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
