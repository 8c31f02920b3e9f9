import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { failureReason } from '../temporal/contract/failures.ts';
import { QUEUES, taskPriority } from '../temporal/contract/queues.ts';
import {
  REPROCESSING_CHANGED,
  type ReprocessingRound,
  type ReprocessingTarget,
} from '../temporal/contract/reprocess-files.ts';
import { quickIo } from './activity-options.ts';

/** Keeps a run's history under 2,000 events. */
const ROUNDS_A_RUN = 200;
const FIRST_POLL_MS = 1000;
const LAST_POLL_MS = 10_000;
/** A paused one without files in progress reads its row so often, in case a signal was lost. */
const PAUSED_POLL_MS = 5 * 60_000;
const MINUTE_MS = 60_000;

const CANCELLED = { code: 'CANCELLED', message: 'the workflow of this reprocessing was cancelled' };

const changedSignal = defineSignal(REPROCESSING_CHANGED);

/** Processes the files of a selection again: rounds that record what has ended and open the next files. */
export async function reprocessFiles(target: ReprocessingTarget): Promise<void> {
  const io = activities(target);
  let changed = false;
  setHandler(changedSignal, () => void (changed = true));
  let pollMs = FIRST_POLL_MS;
  let before: number | undefined;
  try {
    for (let count = 0; count < ROUNDS_A_RUN; count++) {
      changed = false;
      const round = await io.advanceReprocessing(target);
      setCurrentDetails(round.details);
      if (round.state === 'ended') return;
      const quiet = round.opened === 0 && round.processing === before;
      before = round.processing;
      pollMs = quiet ? Math.min(2 * pollMs, LAST_POLL_MS) : FIRST_POLL_MS;
      const waitMs = waitAfter(round, pollMs);
      if (waitMs > 0) await condition(() => changed, waitMs);
    }
  } catch (error) {
    const cancelled = isCancellation(error);
    if (!cancelled && !(error instanceof ActivityFailure)) throw error;
    const reason = cancelled ? CANCELLED : failureReason(error);
    await CancellationScope.nonCancellable(() => io.failReprocessing(target, reason));
    setCurrentDetails(`Ended: ${reason.message}.`);
    throw error;
  }
  return continueAsNew<typeof reprocessFiles>(target);
}

function waitAfter({ state, opened, seen, processing, filesPerMinute }: ReprocessingRound, pollMs: number) {
  if (state === 'paused' && processing === 0) return PAUSED_POLL_MS;
  // All that were seen were skipped.
  if (opened === 0 && seen > 0) return 0;
  return filesPerMinute === null ? pollMs : Math.max(pollMs, (opened * MINUTE_MS) / filesPerMinute);
}

/** Puts the descriptions of a reprocessing back. */
export async function rollBackReprocessing(target: ReprocessingTarget): Promise<void> {
  const { rollBackPage } = activities(target);
  for (let page = 0; page < ROUNDS_A_RUN; page++) {
    const { done, restored } = await rollBackPage(target);
    setCurrentDetails(`${restored} descriptions put back.`);
    if (done) return;
  }
  return continueAsNew<typeof rollBackReprocessing>(target);
}

function activities({ tenantId }: ReprocessingTarget) {
  return proxyActivities<Activities>({
    ...quickIo,
    // A search of a large account, and up to fifty files.
    startToCloseTimeout: '30 s',
    // Current uploads take precedence.
    priority: taskPriority('bulk', tenantId),
    taskQueue: QUEUES.io,
    summary: 'The next files',
  });
}
