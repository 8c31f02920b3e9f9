import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { ExportDataInput, ExportDataResult } from '../temporal/contract/export-data.ts';
import { failureReason } from '../temporal/contract/failures.ts';
import { taskPriority, QUEUES } from '../temporal/contract/queues.ts';
import { exporting, quickIo } from './activity-options.ts';

const CANCELLED = { code: 'CANCELLED', message: 'the workflow of this export was cancelled' };

/** Writes one export, or records the reason for a failure and removes the leftovers. */
export async function exportData({
  exportId,
  tenantId,
  format,
  queue,
}: ExportDataInput): Promise<ExportDataResult> {
  const target = { exportId, tenantId };
  const priority = taskPriority('normal', tenantId);
  const { writeExport } = proxyActivities<Activities>({
    ...exporting,
    priority,
    taskQueue: QUEUES[queue],
    summary: `Records as ${format}`,
  });
  const { failExport, cleanExport } = proxyActivities<Activities>({
    ...quickIo,
    priority,
    taskQueue: QUEUES.io,
  });
  setCurrentDetails('Writing; the heartbeat of the activity says how far it is.');
  try {
    const records = await writeExport(target);
    setCurrentDetails(`Ended: ${records} records.`);
    return { records };
  } catch (error) {
    const cancelled = isCancellation(error);
    if (!cancelled && !(error instanceof ActivityFailure)) throw error;
    // Recorded for its reader; an export that has already ended keeps its own reason.
    const reason = cancelled ? CANCELLED : failureReason(error);
    await CancellationScope.nonCancellable(async () => {
      await failExport(target, reason);
      await cleanExport(target);
    });
    setCurrentDetails(`Ended: ${reason.message}.`);
    throw error;
  }
}
