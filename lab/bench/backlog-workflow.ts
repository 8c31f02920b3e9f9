import { proxyActivities } from '@temporalio/workflow';
import { taskPriority, visionQueue } from '../../temporal/contract/queues.ts';
import { vision } from '../../workflows/activity-options.ts';

/** The activity that calls a model; its result is not used. */
export interface BacklogActivities {
  callModel(): Promise<void>;
}

export const BACKLOG_QUEUE = 'bench-backlog';

/** Queues many calls of a provider's model concurrently, like the files of large sessions. */
export async function backlogWorkflow(provider: string, calls: number, tenantId: string): Promise<void> {
  const { callModel } = proxyActivities<BacklogActivities>({
    ...vision,
    taskQueue: visionQueue(provider),
    priority: taskPriority('bulk', tenantId),
  });
  await Promise.all(Array.from({ length: calls }, () => callModel()));
}
