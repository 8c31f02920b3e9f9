import type { Engine } from '../../temporal/client.ts';
import { REBUILD_IDS } from '../../temporal/contract/ids.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { REBUILD_IMAGE_INDEX } from '../../temporal/contract/rebuild-image-index.ts';
import { COMMAND_DEADLINE_MS } from '../shared/deadlines.ts';

/**
 * Starts the rebuild of the similarity index; one that runs already goes on instead.
 *
 * @returns the workflow's id
 * @throws EngineUnavailable
 */
export async function startIndexRebuild(engine: Engine): Promise<string> {
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
