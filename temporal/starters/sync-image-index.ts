import type { Engine } from '../client.ts';
import { imageIndexWorkflowId } from '../contract/ids.ts';
import { lane, QUEUES } from '../contract/queues.ts';
import { INDEX_CHANGED, SYNC_IMAGE_INDEX, type SyncImageIndexInput } from '../contract/sync-image-index.ts';
import { START_DEADLINE_MS } from '../deadlines.ts';

/**
 * Starts the workflow that reconciles a file's entry in the similarity index with its row; one that is running reads
 * the row again. Idempotent.
 *
 * @throws EngineUnavailable
 */
export async function startSyncImageIndex(engine: Engine, input: SyncImageIndexInput): Promise<void> {
  const { fileId, tenantId } = input;
  await engine.within(START_DEADLINE_MS, (client) =>
    client.workflow.signalWithStart(SYNC_IMAGE_INDEX, {
      workflowId: imageIndexWorkflowId(fileId),
      taskQueue: QUEUES.workflows,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      priority: lane('interactive', tenantId),
      staticSummary: 'Similarity index after a deletion or a restore',
      signal: INDEX_CHANGED,
    }),
  );
}
