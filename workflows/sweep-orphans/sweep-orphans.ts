import { patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { quickIo } from '../activity-options.ts';

/**
 * Starts the work of files whose start did not reach the engine, and takes care of uploads that no workflow takes care
 * of. Run by a schedule; returns how many of both.
 */
export async function sweepOrphans(): Promise<number> {
  const { startOrphans, sweepUploads } = proxyActivities<Activities>({
    ...quickIo,
    taskQueue: QUEUES.io,
    summary: 'What waits for its workflow',
  });
  const started = await startOrphans();
  return patched('sweep-uploads') ? started + (await sweepUploads()) : started;
}
