import { WorkflowNotFoundError } from '@temporalio/client';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';

const DEADLINE_MS = 1000;

/**
 * Asks the run of a deleted file to stop. That is a courtesy to the workers: a run that never hears of it ends by itself
 * at its next step, which finds the file gone. A run of a later generation, begun by a restore, is left alone.
 */
export async function stopFileWork(engine: Engine, file: StoredFile): Promise<void> {
  try {
    const run = await describeRun(engine, file.id, DEADLINE_MS);
    if (run?.outcome !== 'running' || run.generation > file.generation) return;
    await engine.within(DEADLINE_MS, (client) =>
      client.workflow.getHandle(fileWorkflowId(file.id), run.runId).cancel(),
    );
  } catch (error) {
    if (!(error instanceof EngineUnavailable || error instanceof WorkflowNotFoundError)) throw error;
  }
}
