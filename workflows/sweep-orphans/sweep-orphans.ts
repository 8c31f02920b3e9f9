import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { quickIo } from '../activity-options.ts';

/** Starts the work of files whose start did not reach the engine. Run by a schedule; returns how many it started. */
export async function sweepOrphans(): Promise<number> {
  const { startOrphans } = proxyActivities<Activities>({
    ...quickIo,
    taskQueue: QUEUES.io,
    summary: 'Files that wait for their workflow',
  });
  return startOrphans();
}
