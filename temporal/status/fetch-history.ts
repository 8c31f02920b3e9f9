import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { Engine } from '../client.ts';
import { fileWorkflowId } from '../contract/ids.ts';
import { foldHistory, type FoldedRun } from './fold-history.ts';

export type History = temporal.api.history.v1.IHistory;

/** gRPC status code. */
const NOT_FOUND = 5;

/**
 * The event history of a workflow.
 *
 * @param runId the newest run when undefined
 * @throws EngineUnavailable after `milliseconds`; WorkflowNotFoundError when the run is unknown, or past its retention
 */
export async function fetchHistory(
  engine: Engine,
  workflowId: string,
  runId: string | undefined,
  milliseconds: number,
): Promise<History> {
  try {
    return await engine.within(milliseconds, (client) =>
      client.workflow.getHandle(workflowId, runId).fetchHistory(),
    );
  } catch (error) {
    // Unlike the handle's other calls, this one throws the raw gRPC error.
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    if (isGrpcServiceError(error) && code === NOT_FOUND) {
      throw new WorkflowNotFoundError(error.details || error.message, workflowId, runId);
    }
    throw error;
  }
}

/**
 * The history of one run of a file's workflow, folded into component statuses and a timeline.
 *
 * @throws as fetchHistory
 */
export async function fetchFoldedRun(
  engine: Engine,
  fileId: string,
  runId: string,
  milliseconds: number,
): Promise<FoldedRun> {
  return foldHistory(await fetchHistory(engine, fileWorkflowId(fileId), runId, milliseconds), runId);
}
