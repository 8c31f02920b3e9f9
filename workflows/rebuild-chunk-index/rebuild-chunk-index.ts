import { continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { lane, QUEUES } from '../../temporal/contract/queues.ts';
import type { RebuildProgress } from '../../temporal/contract/rebuild-image-index.ts';
import { embedding } from '../activity-options.ts';

/** Keeps a run's history under 4,000 events. */
const PAGES_A_RUN = 500;

/** Reindexes all documents in id order. Returns how many chunks. */
export async function rebuildChunkIndex(from: RebuildProgress = { indexed: 0 }): Promise<number> {
  const { rebuildChunkPage } = proxyActivities<Activities>({
    ...embedding,
    taskQueue: QUEUES.index,
    // Current uploads take precedence.
    priority: lane('bulk'),
    summary: 'A page of documents',
  });

  let { indexed, after } = from;
  for (let page = 0; page < PAGES_A_RUN; page++) {
    const done = await rebuildChunkPage(after);
    indexed += done.indexed;
    setCurrentDetails(`${indexed} chunks are in the index.`);
    if (done.after === undefined) return indexed;
    after = done.after;
  }
  return continueAsNew<typeof rebuildChunkIndex>({ indexed, ...(after !== undefined && { after }) });
}
