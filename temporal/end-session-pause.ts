import { isGrpcServiceError } from '@temporalio/client';
import type { Engine } from './client.ts';
import { fileWorkflowId } from './contract/ids.ts';
import { describeRun } from './status/describe-run.ts';

/**
 * Has a file's step that waits because its upload session was paused tried again at once, by a reset of its activity.
 * Only saves the rest of the retry delay: without it the step is tried when that is over.
 *
 * @throws EngineUnavailable after `milliseconds`
 */
export async function endSessionPause(engine: Engine, fileId: string, milliseconds: number): Promise<void> {
  const run = await describeRun(engine, fileId, milliseconds);
  if (run?.outcome !== 'running') return;
  const execution = { workflowId: fileWorkflowId(fileId), runId: run.runId };
  for (const { id, state, sessionPaused } of run.activities) {
    if (state !== 'waiting' || !sessionPaused) continue;
    try {
      await engine.within(milliseconds, ({ workflowService, options }) =>
        workflowService.resetActivity({ namespace: options.namespace, execution, id, keepPaused: true }),
      );
    } catch (error) {
      // It has gone on, or ended, meanwhile.
      if (!isGrpcServiceError(error)) throw error;
    }
  }
}
