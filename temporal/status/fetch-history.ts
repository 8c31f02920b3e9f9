import type { temporal } from '@temporalio/proto';
import type { Engine } from '../client.ts';
import { fileWorkflowId } from '../contract/ids.ts';
import { foldHistory, type FoldedRun } from './fold-history.ts';

export type History = temporal.api.history.v1.IHistory;

/**
 * The event history of one run of a file's workflow.
 *
 * @throws EngineUnavailable after `milliseconds`; WorkflowNotFoundError when the engine has forgotten the run
 */
export function fetchHistory(
  engine: Engine,
  fileId: string,
  runId: string,
  milliseconds: number,
): Promise<History> {
  return engine.within(milliseconds, (client) =>
    client.workflow.getHandle(fileWorkflowId(fileId), runId).fetchHistory(),
  );
}

/** The same, folded into component statuses and a timeline. */
export async function fetchFoldedRun(
  engine: Engine,
  fileId: string,
  runId: string,
  milliseconds: number,
): Promise<FoldedRun> {
  return foldHistory(await fetchHistory(engine, fileId, runId, milliseconds), runId);
}
