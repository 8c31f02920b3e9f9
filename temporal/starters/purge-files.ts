import type { Engine } from '../client.ts';
import { PURGE_NOW_ID } from '../contract/ids.ts';
import { PURGE_FILES, type PurgeFilesInput } from '../contract/purge-files.ts';
import { QUEUES } from '../contract/queues.ts';
import { unlessStarted } from './start-generation.ts';

const DEADLINE_MS = 10_000;

/**
 * Starts a purge of what has been in the trash for so many days.
 *
 * @returns the workflow's id; undefined when a purge that was asked for earlier still runs, since its days may be others
 * @throws EngineUnavailable
 */
export async function startPurge(engine: Engine, days: number): Promise<string | undefined> {
  const input: PurgeFilesInput = { days };
  const started = await unlessStarted(() =>
    engine.within(DEADLINE_MS, (client) =>
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
