import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import type { DispatchPendingInput } from '../../temporal/contract/dispatch-pending.ts';
import { repeating } from '../activity-options.ts';

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
