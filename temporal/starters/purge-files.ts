import type { Engine } from '../client.ts';
import { PURGE_NOW_ID } from '../contract/ids.ts';
import { PURGE_FILES, type PurgeFilesInput } from '../contract/purge-files.ts';
import { QUEUES } from '../contract/queues.ts';
import { COMMAND_DEADLINE_MS } from '../deadlines.ts';
import { unlessStarted } from './start-generation.ts';

/**
 * Starts a purge of files that have been in the trash for the given number of days.
 *
 * @returns the workflow's id; undefined when an earlier purge is still running, since its `days` may differ
 * @throws EngineUnavailable
 */
export async function startPurge(engine: Engine, days: number): Promise<string | undefined> {
  const input: PurgeFilesInput = { days };
  const started = await unlessStarted(() =>
    engine.within(COMMAND_DEADLINE_MS, (client) =>
      client.workflow.start(PURGE_FILES, {
        workflowId: PURGE_NOW_ID,
        taskQueue: QUEUES.workflows,
        args: [input],
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: `Purge of what was deleted ${days} days ago or earlier`,
      }),
    ),
  );
  return started ? PURGE_NOW_ID : undefined;
}
