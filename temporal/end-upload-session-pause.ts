import { isGrpcServiceError } from '@temporalio/client';
import type { Engine } from './client.ts';
import { describeRun } from './status/describe-run.ts';
import { FILE_WORKFLOWS } from './contract/process-file.ts';

/**
 * Retries the steps of a file that are waiting because its upload session was paused immediately, by resetting the
 * activity. Only an optimisation: otherwise the step is retried when its delay has elapsed.
 *
 * @throws EngineUnavailable after `milliseconds`
 */
export async function endUploadSessionPause(
  engine: Engine,
  fileId: string,
  milliseconds: number,
): Promise<void> {
  const run = await describeRun(engine, fileId, milliseconds);
  if (run?.outcome !== 'running') return;
  const execution = { workflowId: FILE_WORKFLOWS.of(fileId), runId: run.runId };
  for (const { id, state, sessionPaused } of run.activities) {
    if (state !== 'waiting' || !sessionPaused) continue;
    try {
      await engine.within(milliseconds, ({ workflowService, options }) =>
        workflowService.resetActivity({ namespace: options.namespace, execution, id, keepPaused: true }),
      );
    } catch (error) {
      // It has resumed or ended in the meantime.
      if (!isGrpcServiceError(error)) throw error;
    }
  }
}
