import { defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { PRIORITIES, QUEUES } from '../../temporal/contract/queues.ts';
import { INDEX_CHANGED, type SyncImageIndexInput } from '../../temporal/contract/sync-image-index.ts';
import { indexing } from '../activity-options.ts';

/** Syncs a file's entry in the similarity index with its row, again until no change was signalled meanwhile. */
export async function syncImageIndex({ fileId, tenantId }: SyncImageIndexInput): Promise<void> {
  let changed = false;
  setHandler(defineSignal(INDEX_CHANGED), () => {
    changed = true;
  });
  const { syncImage } = proxyActivities<Activities>({
    ...indexing,
    taskQueue: QUEUES.index,
    priority: { priorityKey: PRIORITIES.interactive, fairnessKey: tenantId },
    summary: 'Entry in the similarity index',
  });

  do {
    changed = false;
    await syncImage(fileId);
  } while (changed);
}
