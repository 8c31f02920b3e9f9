import { WorkflowNotFoundError } from '@temporalio/client';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Engine } from '../../temporal/client.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';

/**
 * Requests cancellation of a deleted file's run. This only saves work: a run that misses it ends at its next step,
 * which finds the file gone. A run of a later generation, begun by a restore, is left alone.
 *
 * @throws EngineUnavailable after `milliseconds` per call
 */
export async function stopFileWork(engine: Engine, file: StoredFile, milliseconds: number): Promise<void> {
  const run = await describeRun(engine, file.id, milliseconds);
  if (run?.outcome !== 'running' || run.generation > file.generation) return;
  try {
    await engine.within(milliseconds, (client) =>
      client.workflow.getHandle(fileWorkflowId(file.id), run.runId).cancel(),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
