import { isGrpcServiceError } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import { isUnserved } from '../../domain/stuck.ts';
import type { Engine } from '../client.ts';

/** More workers of a queue than this are not looked at. */
const MAX_WORKERS = 200;
/** gRPC codes of an engine that does not list workers: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED. */
const WITHOUT_HEARTBEATS = new Set([3, 7, 12]);

/** The last heartbeat of a worker, which has its slots. */
export type WorkerHeartbeat = temporal.api.worker.v1.IWorkerHeartbeat;

/**
 * The workers of a queue that are running and have sent a heartbeat recently; undefined with an engine that does not
 * record heartbeats. A worker whose slots are all taken does not poll, but sends heartbeats.
 *
 * @throws EngineUnavailable after `milliseconds`
 */
export async function listWorkersOf(
  engine: Engine,
  queue: string,
  milliseconds: number,
): Promise<WorkerHeartbeat[] | undefined> {
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
    return workersInfo
      .map(({ workerHeartbeat }) => workerHeartbeat)
      .filter((worker) => worker?.status === WORKER_STATUS_RUNNING && !isUnserved(seenAt(worker), now))
      .filter((worker) => worker !== null && worker !== undefined);
  } catch (error) {
    if (isGrpcServiceError(error) && WITHOUT_HEARTBEATS.has(error.code)) return undefined;
    throw error;
  }
}

/** When a worker sent this, by its own clock. */
export function seenAt({ heartbeatTime }: WorkerHeartbeat): Date | undefined {
  return optionalTsToDate(heartbeatTime);
}
