import proto from '@temporalio/proto';
import type { Engine } from '../client.ts';
import { QUEUES } from '../contract/queues.ts';
import { listWorkersOf } from './list-workers.ts';

/** The work that waits in a task queue, and its workers, as reported by the engine. */
export interface QueueState {
  queue: string;
  /** Tasks that wait, approximately. */
  backlog: number;
  /** Age of the task that has waited longest, in seconds. */
  oldestSeconds: number;
  workers: number;
  /** Of its workers together. */
  slots: { used: number; free: number };
}

/**
 * The state of these task queues.
 *
 * @throws EngineUnavailable after `milliseconds`
 */
export function readQueues(
  engine: Engine,
  queues: readonly string[],
  milliseconds: number,
): Promise<QueueState[]> {
  const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;
  return Promise.all(
    queues.map(async (queue) => {
      const isWorkflows = queue === QUEUES.workflows;
      const [{ stats, pollers }, workers] = await Promise.all([
        engine.within(milliseconds, ({ workflowService, options }) =>
          workflowService.describeTaskQueue({
            namespace: options.namespace,
            taskQueue: { name: queue },
            taskQueueType: isWorkflows ? TASK_QUEUE_TYPE_WORKFLOW : TASK_QUEUE_TYPE_ACTIVITY,
            reportStats: true,
          }),
        ),
        listWorkersOf(engine, queue, milliseconds),
      ]);
      const slots = (workers ?? []).map((worker) =>
        isWorkflows ? worker.workflowTaskSlotsInfo : worker.activityTaskSlotsInfo,
      );
      const sum = (name: 'currentUsedSlots' | 'currentAvailableSlots') =>
        slots.reduce((total, each) => total + (each?.[name] ?? 0), 0);
      return {
        queue,
        backlog: Number(stats?.approximateBacklogCount ?? 0),
        oldestSeconds: Number(stats?.approximateBacklogAge?.seconds ?? 0),
        workers: (workers ?? pollers).length,
        slots: { used: sum('currentUsedSlots'), free: sum('currentAvailableSlots') },
      };
    }),
  );
}
