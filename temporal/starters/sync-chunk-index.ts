import type { Engine } from '../client.ts';
import { chunkIndexWorkflowId } from '../contract/ids.ts';
import { lane, QUEUES } from '../contract/queues.ts';
import { SYNC_CHUNK_INDEX } from '../contract/sync-chunk-index.ts';
import { INDEX_CHANGED, type SyncImageIndexInput } from '../contract/sync-image-index.ts';
import { START_DEADLINE_MS } from '../deadlines.ts';

/**
 * Starts the workflow that reconciles the vectors of a document with its row; one that is running reads the row again.
 * Idempotent.
 *
 * @throws EngineUnavailable
 */
export async function startSyncChunkIndex(engine: Engine, input: SyncImageIndexInput): Promise<void> {
  const { fileId, tenantId } = input;
  await engine.within(START_DEADLINE_MS, (client) =>
    client.workflow.signalWithStart(SYNC_CHUNK_INDEX, {
      workflowId: chunkIndexWorkflowId(fileId),
      taskQueue: QUEUES.workflows,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      priority: lane('interactive', tenantId),
      staticSummary: 'Search index after a deletion or a restore',
      signal: INDEX_CHANGED,
    }),
  );
}
