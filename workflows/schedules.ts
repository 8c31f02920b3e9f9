import { continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { QUEUES } from '../temporal/contract/queues.ts';
import { longIo, repeating } from './activity-options.ts';
import type { DispatchPendingInput } from '../temporal/contract/schedules.ts';

/**
 * Reconciles rows whose `engine_due_at` is past, and ends and cleans up what has expired, again and again. The two
 * activities repeat their search themselves: one that finds nothing leaves no event behind.
 */
export async function dispatchPending(input: DispatchPendingInput): Promise<never> {
  const options = { ...repeating(input.seconds), taskQueue: QUEUES.io };
  const due = proxyActivities<Activities>({ ...options, summary: 'Rows that are due at the engine' });
  const ended = proxyActivities<Activities>({
    ...options,
    summary: 'Uploads and exports whose time is over',
  });
  await Promise.all([repeat(due.dispatchPending), repeat(ended.cleanEnded)]);
  return continueAsNew<typeof dispatchPending>(input);

  /** A worker that stops hands over to the next. */
  async function repeat(search: (seconds: number) => Promise<number>): Promise<void> {
    for (let left = input.seconds; left > 0;) left -= await search(left);
  }
}

/** Rows checked and objects removed. */
export interface ReconciledStale {
  rows: number;
  objects: number;
}

/** Reconciles rows that are open and quiet, and removes objects without a file. Run by a schedule. */
export async function reconcileStale(): Promise<ReconciledStale> {
  const activities = proxyActivities<Activities>({ ...longIo, taskQueue: QUEUES.io });
  const [rows, objects] = await Promise.all([
    activities.reconcileStale.executeWithOptions({ summary: 'Rows that are open and quiet' }, []),
    activities.removeAbandonedObjects.executeWithOptions({ summary: 'Objects without a file' }, []),
  ]);
  return { rows, objects };
}

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
