import {
  ActivityFailure,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { failureReason } from '../temporal/contract/failures.ts';
import type { ImportFilesInput, ImportRound } from '../temporal/contract/import-files.ts';
import { QUEUES, taskPriority } from '../temporal/contract/queues.ts';
import { importing, quickIo } from './activity-options.ts';

/** Keeps a run's history under 2,000 events. */
const ROUNDS_A_RUN = 100;
const FIRST_WAIT_MS = 60_000;
const LAST_WAIT_MS = 3_600_000;

/** Lists a source and imports what it has, round by round, until everything listed has ended. */
export async function importFiles({ waits = 0, ...run }: ImportFilesInput): Promise<ImportRound> {
  const priority = taskPriority('bulk', run.tenantId);
  const { listImportSource, importListedItems } = proxyActivities<Activities>({
    ...importing,
    priority,
    taskQueue: QUEUES.imports,
  });
  const { completeImport, failImport } = proxyActivities<Activities>({
    ...quickIo,
    priority,
    taskQueue: QUEUES.io,
  });
  let waited = waits;
  try {
    for (let round = 0; round < ROUNDS_A_RUN; round += 1) {
      setCurrentDetails('Listing the source.');
      const listing = await listImportSource(run);
      if (listing === 'ended') return listing;
      setCurrentDetails('Importing; the heartbeat of the activity says how far it is.');
      const importing = listing === 'waiting' ? listing : await importListedItems(run);
      if (importing === 'ended') return importing;
      if (importing === 'waiting') {
        setCurrentDetails('Waiting for credits, or for the source; a resumption begins the next generation.');
        await sleep(Math.min(FIRST_WAIT_MS * 2 ** waited, LAST_WAIT_MS));
        waited += 1;
        continue;
      }
      waited = 0;
      if (listing === 'listed' && importing === 'listed') {
        await completeImport(run);
        setCurrentDetails('Ended.');
        return 'ended';
      }
    }
  } catch (error) {
    // After a cancellation, the row already says why.
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    await failImport(run, failureReason(error));
    throw error;
  }
  return continueAsNew<typeof importFiles>({ ...run, waits: waited });
}
