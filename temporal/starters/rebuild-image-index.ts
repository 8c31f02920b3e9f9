import type { Engine } from '../client.ts';
import { REBUILD_IDS } from '../contract/ids.ts';
import { QUEUES } from '../contract/queues.ts';
import { REBUILD_IMAGE_INDEX } from '../contract/rebuild-image-index.ts';

const DEADLINE_MS = 10_000;

/**
 * Starts the rebuild of the similarity index; one that runs already goes on instead.
 *
 * @returns the workflow's id
 * @throws EngineUnavailable
 */
export async function startRebuildImageIndex(engine: Engine): Promise<string> {
  await engine.within(DEADLINE_MS, (client) =>
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
