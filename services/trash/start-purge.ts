import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Engine } from '../../temporal/client.ts';
import { PURGE_NOW_ID } from '../../temporal/contract/ids.ts';
import { PURGE_FILES, type PurgeFilesInput } from '../../temporal/contract/purge-files.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { COMMAND_DEADLINE_MS } from '../shared/deadlines.ts';

/**
 * Starts a purge of what has been in the trash for so many days.
 *
 * @returns the workflow's id; undefined when a purge that was asked for earlier still runs, since its days may be others
 * @throws EngineUnavailable
 */
export async function startPurge(engine: Engine, days: number): Promise<string | undefined> {
  const input: PurgeFilesInput = { days };
  try {
    await engine.within(COMMAND_DEADLINE_MS, (client) =>
      client.workflow.start(PURGE_FILES, {
        workflowId: PURGE_NOW_ID,
        taskQueue: QUEUES.workflows,
        args: [input],
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: `Purge of what was deleted ${days} days ago or earlier`,
      }),
    );
    return PURGE_NOW_ID;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}
