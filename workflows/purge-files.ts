import { ApplicationFailure, continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { PurgeFilesInput, PurgeProgress, PurgeResult } from '../temporal/contract/purge-files.ts';
import { QUEUES, taskPriority } from '../temporal/contract/queues.ts';
import { indexing, longIo } from './activity-options.ts';

/** Keeps a run's history under 1,500 events. */
const PAGES_A_RUN = 40;
const DAY_MS = 86_400_000;

/**
 * Permanently removes files whose time in the trash is over, then the records of direct uploads that failed long ago
 * and the entries of the audit log whose time is over.
 * Rows are removed last, with the receipt, so that after an interruption the next purge still finds the file.
 *
 * Fails at the end when files could not be purged, so that operators notice; the next purge retries them.
 */
export async function purgeFiles({ days, byFile, progress }: PurgeFilesInput): Promise<PurgeResult> {
  // Current user work takes precedence.
  const priority = taskPriority('bulk');
  const io = proxyActivities<Activities>({ ...longIo, priority, taskQueue: QUEUES.io });
  const index = proxyActivities<Activities>({ ...indexing, priority, taskQueue: QUEUES.index });

  const state: PurgeProgress = progress ?? {
    ...(!byFile && { before: new Date(Date.now() - days * DAY_MS).toISOString() }),
    purged: 0,
    left: 0,
  };
  for (let page = 0; page < PAGES_A_RUN; page++) {
    const { files, after } = await io.claimPurgePage(state.before ?? null, state.after);
    if (files.length > 0) {
      await index.removeFileVectors(files);
      const emptied = await io.removeFileObjects(files);
      const purged = emptied.length > 0 ? await io.removeFileRows(emptied) : 0;
      state.purged += purged;
      state.left += files.length - purged;
    }
    setCurrentDetails(`${state.purged} files purged, ${state.left} could not be.`);
    if (!after) {
      await io.removeFailedUploads();
      await io.removeOldAuditEvents();
      return ended(state);
    }
    state.after = after;
  }
  return continueAsNew<typeof purgeFiles>({ days, ...(byFile && { byFile }), progress: state });
}

function ended({ purged, left }: PurgeProgress): PurgeResult {
  if (left === 0) return { purged };
  throw ApplicationFailure.nonRetryable(
    `${left} files could not be purged, ${purged} were; see the worker log`,
    'PURGE_INCOMPLETE',
  );
}
