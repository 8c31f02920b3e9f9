import type { PendingActivity, RunView } from './describe-run.ts';

/**
 * Whether an open run has begun and nothing of it is in progress: no attempt is running, and what is left waits for a
 * retry, or is paused.
 */
export function isHalted({ outcome, activities, decision, operatorPause }: RunView): boolean {
  if (outcome !== 'running' || decision || activities.some(({ state }) => state === 'running')) return false;
  return operatorPause !== undefined || activities.some(isWaitingAgain);
}

function isWaitingAgain({ attempt, lastFailure, sessionPaused, operatorPause }: PendingActivity): boolean {
  return attempt > 1 || lastFailure !== undefined || sessionPaused === true || operatorPause !== undefined;
}
