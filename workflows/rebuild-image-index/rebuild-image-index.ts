import { continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { PRIORITIES, QUEUES } from '../../temporal/contract/queues.ts';
import type { RebuildProgress } from '../../temporal/contract/rebuild-image-index.ts';
import { indexing } from '../activity-options.ts';

/** Keeps a run's history under 4,000 events. */
const PAGES_A_RUN = 500;

/** Reindexes all images in id order. Returns how many. */
export async function rebuildImageIndex(from: RebuildProgress = { indexed: 0 }): Promise<number> {
  const { rebuildImagePage } = proxyActivities<Activities>({
    ...indexing,
    taskQueue: QUEUES.index,
    // Current uploads take precedence.
    priority: { priorityKey: PRIORITIES.bulk },
    summary: 'A page of images',
  });

  let { indexed, after } = from;
  for (let page = 0; page < PAGES_A_RUN; page++) {
    const done = await rebuildImagePage(after);
    indexed += done.indexed;
    setCurrentDetails(`${indexed} images are in the index.`);
    if (done.after === undefined) return indexed;
    after = done.after;
  }
  return continueAsNew<typeof rebuildImageIndex>({ indexed, ...(after !== undefined && { after }) });
}
