import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { QUEUES, taskPriority } from '../../temporal/contract/queues.ts';
import { localWrite, quickIo } from '../activity-options.ts';
import { withDurableFallback } from '../with-durable-fallback.ts';

type RecordActivities = Pick<Activities, 'beginFileWork' | 'projectFile' | 'finishFileWork'>;

/**
 * The writes of a run to the file's row. Each is a local activity, which costs no extra hop; when Postgres does not
 * answer, it is scheduled as a regular activity, so that the outage is visible in the engine and retried without limit.
 */
export function createProjection({ tenantId, priority }: ProcessFileInput) {
  const local = proxyLocalActivities<RecordActivities>(localWrite);
  const durable = proxyActivities<RecordActivities>({
    ...quickIo,
    taskQueue: QUEUES.io,
    priority: taskPriority(priority, tenantId),
    summary: 'Recording status (database was slow to answer)',
  });

  return {
    begin: withDurableFallback(local.beginFileWork, durable.beginFileWork),
    project: withDurableFallback(local.projectFile, durable.projectFile),
    finish: withDurableFallback(local.finishFileWork, durable.finishFileWork),
  };
}
