import type { Engine } from '../client.ts';
import { fileWorkflowId } from '../contract/ids.ts';
import { foldHistory, type FoldedRun } from './fold-history.ts';

/**
 * Reads and folds the history of one run of a file's workflow.
 *
 * @throws EngineUnavailable after `milliseconds`; WorkflowNotFoundError when the engine has forgotten the run
 */
export async function readRun(
  engine: Engine,
  fileId: string,
  runId: string,
  milliseconds: number,
): Promise<FoldedRun> {
  const history = await engine.within(milliseconds, (client) =>
    client.workflow.getHandle(fileWorkflowId(fileId), runId).fetchHistory(),
  );
  return foldHistory(history, runId);
}
