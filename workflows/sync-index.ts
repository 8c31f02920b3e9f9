import { defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { INDEX_CHANGED, type SyncIndexInput } from '../temporal/contract/indexes.ts';
import { taskPriority, QUEUES } from '../temporal/contract/queues.ts';
import { INDEX_OPTIONS } from './activity-options.ts';

const indexChanged = defineSignal(INDEX_CHANGED);

/** Syncs the entries of a file in an index with its row, again until no change was signalled meanwhile. */
export async function syncIndex({ index, fileId, tenantId }: SyncIndexInput): Promise<void> {
  let changed = false;
  setHandler(indexChanged, () => {
    changed = true;
  });
  const { syncIndexEntries } = proxyActivities<Activities>({
    ...INDEX_OPTIONS[index],
    taskQueue: QUEUES.index,
    priority: taskPriority('interactive', tenantId),
    summary: `Entries in the index of ${index}`,
  });

  do {
    changed = false;
    await syncIndexEntries({ index, fileId });
  } while (changed);
}
