import { continueAsNew, proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { RebuildIndexInput } from '../temporal/contract/indexes.ts';
import { taskPriority, QUEUES } from '../temporal/contract/queues.ts';
import { embedding } from './activity-options.ts';

/** Keeps a run's history under 4,000 events. */
const PAGES_A_RUN = 500;
/** Every process has noticed by then which collection serves. */
const REPEATED_AFTER = '30 s';

/**
 * Adds what is missing in an index, by files in id order, or makes the words of files anew. With vectors of another model until then, searches change to the
 * new ones when all are written, and another pass removes the former ones. Returns how many images, chunks, or files with their
 * words.
 */
export async function rebuildIndex({ index, collection, progress }: RebuildIndexInput): Promise<number> {
  const { rebuildIndexPage, endRebuildPass } = proxyActivities<Activities>({
    // A page of images also takes minutes with a slow model.
    ...embedding,
    taskQueue: QUEUES.index,
    // Current uploads take precedence.
    priority: taskPriority('bulk'),
    summary: `A page of files for the index of ${index}`,
  });

  let { indexed, after } = progress ?? { indexed: 0 };
  for (let page = 0; page < PAGES_A_RUN; page++) {
    const done = await rebuildIndexPage({ index, collection, ...(after !== undefined && { after }) });
    indexed += done.indexed;
    setCurrentDetails(`Index of ${index}: ${indexed} done.`);
    ({ after } = done);
    if (after === undefined) break;
  }
  if (after === undefined) {
    if (await endRebuildPass({ index, collection })) return indexed;
    setCurrentDetails(`Index of ${index}: ${indexed} done; another pass will remove the former vectors.`);
    await sleep(REPEATED_AFTER);
  }
  return continueAsNew<typeof rebuildIndex>({
    index,
    collection,
    progress: { indexed, ...(after !== undefined && { after }) },
  });
}
