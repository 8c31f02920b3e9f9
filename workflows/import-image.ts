import { CancellationScope, isCancellation, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { failureReason } from '../temporal/contract/failures.ts';
import type { ImportOutcome, ImportTarget } from '../temporal/contract/import-image.ts';
import { taskPriority, QUEUES } from '../temporal/contract/queues.ts';
import { quickIo, webFetch } from './activity-options.ts';
import { endAsFailed } from './end-as-failed.ts';

/** Fetches one image by its URL and makes it a file, whose own workflow takes over; otherwise records the reason. */
export async function importImage(target: ImportTarget): Promise<{ outcome: ImportOutcome }> {
  const options = { priority: taskPriority('interactive', target.tenantId) };
  const web = proxyActivities<Activities>({
    ...webFetch,
    ...options,
    taskQueue: QUEUES.web,
    summary: 'Fetching the image',
  });
  const io = proxyActivities<Activities>({
    ...quickIo,
    ...options,
    taskQueue: QUEUES.io,
    summary: 'Recording why there is no image',
  });
  try {
    const outcome = await web.fetchImportedImage(target);
    setCurrentDetails(`Ended: ${outcome}.`);
    return { outcome };
  } catch (error) {
    const reason = failureReason(error);
    await CancellationScope.nonCancellable(() => io.failImageImport(target, reason));
    setCurrentDetails(`Ended: failed, ${reason.message}.`);
    if (isCancellation(error)) throw error;
    endAsFailed(reason);
    return { outcome: 'failed' };
  }
}
