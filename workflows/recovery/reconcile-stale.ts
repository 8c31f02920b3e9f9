import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { longIo } from '../activity-options.ts';

/** Rows checked and objects removed. */
export interface ReconciledStale {
  rows: number;
  objects: number;
}

/** Reconciles rows that are open and quiet, and removes objects without a file. Run by a schedule. */
export async function reconcileStale(): Promise<ReconciledStale> {
  const activities = proxyActivities<Activities>({ ...longIo, taskQueue: QUEUES.io });
  const [rows, objects] = await Promise.all([
    activities.reconcileStale.executeWithOptions({ summary: 'Rows that are open and quiet' }, []),
    activities.removeAbandonedObjects.executeWithOptions({ summary: 'Objects without a file' }, []),
  ]);
  return { rows, objects };
}
