import type { Engine } from '../client.ts';
import { REBUILD_IDS } from '../contract/ids.ts';
import { QUEUES } from '../contract/queues.ts';
import { REBUILD_CHUNK_INDEX } from '../contract/rebuild-chunk-index.ts';
import { COMMAND_DEADLINE_MS } from '../deadlines.ts';

/**
 * Starts a rebuild of the search index of documents, unless one is already running.
 *
 * @returns the workflow's id
 * @throws EngineUnavailable
 */
export async function startRebuildChunkIndex(engine: Engine): Promise<string> {
  await engine.within(COMMAND_DEADLINE_MS, (client) =>
    client.workflow.start(REBUILD_CHUNK_INDEX, {
      workflowId: REBUILD_IDS.chunks,
      taskQueue: QUEUES.workflows,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: 'Rebuild of the search index',
    }),
  );
  return REBUILD_IDS.chunks;
}
