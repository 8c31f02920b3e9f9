import { isGrpcServiceError } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import { isUnserved } from '../../domain/stuck.ts';
import type { Engine } from '../client.ts';
import { QUEUES } from '../contract/queues.ts';

/** More workers of a queue than this are not looked at. */
const MAX_WORKERS = 200;
/** gRPC codes of an engine that does not list workers: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED. */
const WITHOUT_HEARTBEATS = new Set([3, 7, 12]);

/** When a worker of a queue last polled it or sent a heartbeat; undefined without one. */
export type LastSeenOf = (queue: string) => Promise<Date | undefined>;

/**
 * Looks up the workers of task queues, each queue once: callers that check many files share one instance.
 *
 * @throws EngineUnavailable (from the function returned) after `milliseconds`
 */
export function createLastSeenOf(engine: Engine, milliseconds: number): LastSeenOf {
  const asked = new Map<string, Promise<Date | undefined>>();
  return (queue) => {
    const answer = asked.get(queue) ?? lastSeen(engine, queue, milliseconds);
    asked.set(queue, answer);
    return answer;
  };
}

async function lastSeen(engine: Engine, queue: string, milliseconds: number): Promise<Date | undefined> {
  const [{ pollers }, workers = []] = await Promise.all([
    describeQueue(engine, queue, milliseconds),
    listWorkers(engine, queue, milliseconds),
  ]);
  const times = [
    ...pollers.map(({ lastAccessTime }) => lastAccessTime),
    ...workers.map(({ heartbeatTime }) => heartbeatTime),
  ].map((at) => optionalTsToDate(at)?.getTime() ?? 0);
  // The times of heartbeats are of the workers' clocks.
  return times.length > 0 ? new Date(Math.min(Math.max(...times), Date.now())) : undefined;
}

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
  return Promise.all(
    queues.map(async (queue) => {
      const [{ stats, pollers }, workers] = await Promise.all([
        describeQueue(engine, queue, milliseconds),
        listWorkers(engine, queue, milliseconds),
      ]);
      const slots = (workers ?? []).map(({ workflowTaskSlotsInfo, activityTaskSlotsInfo }) =>
        queue === QUEUES.workflows ? workflowTaskSlotsInfo : activityTaskSlotsInfo,
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

/** Workflow tasks are on one queue, activities on all others. */
function describeQueue(engine: Engine, queue: string, milliseconds: number) {
  const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;
  return engine.within(milliseconds, ({ workflowService, options }) =>
    workflowService.describeTaskQueue({
      namespace: options.namespace,
      taskQueue: { name: queue },
      taskQueueType: queue === QUEUES.workflows ? TASK_QUEUE_TYPE_WORKFLOW : TASK_QUEUE_TYPE_ACTIVITY,
      reportStats: true,
    }),
  );
}

/**
 * The last heartbeats of the workers of a queue that are running and have sent one recently; undefined with an engine that
 * does not record heartbeats. A worker whose slots are all taken does not poll, but sends heartbeats.
 */
async function listWorkers(
  engine: Engine,
  queue: string,
  milliseconds: number,
): Promise<temporal.api.worker.v1.IWorkerHeartbeat[] | undefined> {
  const { WORKER_STATUS_RUNNING } = proto.temporal.api.enums.v1.WorkerStatus;
  try {
    const { workersInfo } = await engine.within(milliseconds, ({ workflowService, options }) =>
      workflowService.listWorkers({
        namespace: options.namespace,
        pageSize: MAX_WORKERS,
        query: `TaskQueue = '${queue}'`,
      }),
    );
    const now = new Date();
    return workersInfo.flatMap(({ workerHeartbeat: worker }) =>
      worker?.status === WORKER_STATUS_RUNNING && !isUnserved(optionalTsToDate(worker.heartbeatTime), now)
        ? [worker]
        : [],
    );
  } catch (error) {
    if (isGrpcServiceError(error) && WITHOUT_HEARTBEATS.has(error.code)) return undefined;
    throw error;
  }
}
