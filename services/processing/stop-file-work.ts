import { WorkflowNotFoundError } from '@temporalio/client';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Engine } from '../../temporal/client.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';

/**
 * Asks the run of a deleted file to stop. That is a courtesy to the workers: a run that never hears of it ends by itself
 * at its next step, which finds the file gone. A run of a later generation, begun by a restore, is left alone.
 *
 * @throws EngineUnavailable after `milliseconds` a call
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
