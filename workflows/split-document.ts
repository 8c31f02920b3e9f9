import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { failureReason } from '../temporal/contract/failures.ts';
import { taskPriority, QUEUES } from '../temporal/contract/queues.ts';
import type { SplitTarget } from '../temporal/contract/split-document.ts';
import { cpuBound, quickIo } from './activity-options.ts';

const CANCELLED = { code: 'CANCELLED', message: 'the workflow of this split was cancelled' };

/** Divides a document by rules, unless its parts are given, and stores the parts, some at a time. */
export async function splitDocument(target: SplitTarget): Promise<void> {
  const priority = taskPriority('normal', target.tenantId);
  const documents = proxyActivities<Activities>({ ...cpuBound, priority, taskQueue: QUEUES.documents });
  const { failSplit } = proxyActivities<Activities>({ ...quickIo, priority, taskQueue: QUEUES.io });
  try {
    setCurrentDetails('Looking for the documents in it.');
    let left = await documents.planSplit(target);
    while (left > 0) {
      setCurrentDetails(`${left} parts are left to store.`);
      left = await documents.storeSplitParts(target);
    }
    setCurrentDetails('Ended.');
  } catch (error) {
    const cancelled = isCancellation(error);
    if (!cancelled && !(error instanceof ActivityFailure)) throw error;
    const reason = cancelled ? CANCELLED : failureReason(error);
    await CancellationScope.nonCancellable(() => failSplit(target, reason));
    setCurrentDetails(`Ended: ${reason.message}.`);
    throw error;
  }
}
