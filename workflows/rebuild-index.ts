import { continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { RebuildIndexInput } from '../temporal/contract/indexes.ts';
import { taskPriority, QUEUES } from '../temporal/contract/queues.ts';
import { INDEX_OPTIONS } from './activity-options.ts';

/** Keeps a run's history under 4,000 events. */
const PAGES_A_RUN = 500;

/** Reindexes the files of an index in id order. Returns how many images, or chunks of documents. */
export async function rebuildIndex({ index, progress }: RebuildIndexInput): Promise<number> {
  const { rebuildIndexPage } = proxyActivities<Activities>({
    ...INDEX_OPTIONS[index],
    taskQueue: QUEUES.index,
    // Current uploads take precedence.
    priority: taskPriority('bulk'),
    summary: `A page of files for the index of ${index}`,
  });

  let { indexed, after } = progress ?? { indexed: 0 };
  for (let page = 0; page < PAGES_A_RUN; page++) {
    const done = await rebuildIndexPage({ index, ...(after !== undefined && { after }) });
    indexed += done.indexed;
    setCurrentDetails(`${indexed} ${index} are in the index.`);
    if (done.after === undefined) return indexed;
    after = done.after;
  }
  return continueAsNew<typeof rebuildIndex>({
    index,
    progress: { indexed, ...(after !== undefined && { after }) },
  });
}
