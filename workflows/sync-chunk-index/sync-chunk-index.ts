import { defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { lane, QUEUES } from '../../temporal/contract/queues.ts';
import { INDEX_CHANGED, type SyncImageIndexInput } from '../../temporal/contract/sync-image-index.ts';
import { embedding } from '../activity-options.ts';

/** Syncs the vectors of a document with its row, again until no change was signalled meanwhile. */
export async function syncChunkIndex({ fileId, tenantId }: SyncImageIndexInput): Promise<void> {
  let changed = false;
  setHandler(defineSignal(INDEX_CHANGED), () => {
    changed = true;
  });
  const { syncChunks } = proxyActivities<Activities>({
    ...embedding,
    taskQueue: QUEUES.index,
    priority: lane('interactive', tenantId),
    summary: 'Chunks in the search index',
  });

  do {
    changed = false;
    await syncChunks(fileId);
  } while (changed);
}
