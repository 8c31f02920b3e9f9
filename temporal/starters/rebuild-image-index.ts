import type { Engine } from '../client.ts';
import { REBUILD_IDS } from '../contract/ids.ts';
import { QUEUES } from '../contract/queues.ts';
import { REBUILD_IMAGE_INDEX } from '../contract/rebuild-image-index.ts';
import { COMMAND_DEADLINE_MS } from '../deadlines.ts';

/**
 * Starts a rebuild of the similarity index, unless one is already running.
 *
 * @returns the workflow's id
 * @throws EngineUnavailable
 */
export async function startRebuildImageIndex(engine: Engine): Promise<string> {
  await engine.within(COMMAND_DEADLINE_MS, (client) =>
    client.workflow.start(REBUILD_IMAGE_INDEX, {
      workflowId: REBUILD_IDS.images,
      taskQueue: QUEUES.workflows,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: 'Rebuild of the similarity index',
    }),
  );
  return REBUILD_IDS.images;
}
