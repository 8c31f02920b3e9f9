import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { DrawPageInput } from '../temporal/contract/draw-page.ts';
import { failureReason } from '../temporal/contract/failures.ts';
import { QUEUES, taskPriority } from '../temporal/contract/queues.ts';
import { cpuBound, quickIo } from './activity-options.ts';
import { endAsFailed } from './end-as-failed.ts';

/** The picture of one page, for a request that waits for it and finds it in its row. */
export async function drawPage(input: DrawPageInput): Promise<void> {
  const prioritised = { priority: taskPriority('interactive', input.tenantId) };
  const { drawPageImage } = proxyActivities<Pick<Activities, 'drawPageImage'>>({
    ...cpuBound,
    ...prioritised,
    taskQueue: QUEUES.documents,
    summary: `Picture of page ${input.pageNumber}`,
  });
  try {
    await drawPageImage(input);
  } catch (error) {
    const { failPageImage } = proxyActivities<Pick<Activities, 'failPageImage'>>({
      ...quickIo,
      ...prioritised,
      taskQueue: QUEUES.io,
      summary: 'Why there is no picture',
    });
    const reason = failureReason(error);
    await CancellationScope.nonCancellable(() => failPageImage(input, reason));
    if (isCancellation(error)) throw error;
    endAsFailed(reason);
  }
}
