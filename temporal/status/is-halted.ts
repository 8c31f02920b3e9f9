import { isUnserved } from '../../domain/stuck.ts';
import type { PendingActivity, RunView } from './describe-run.ts';
import type { LastSeenOf } from './task-queues.ts';

/**
 * Whether nothing of a generation's run is in progress: it has not been started, or no attempt is running and the
 * remaining work is paused, waits for a retry, or has no worker.
 *
 * @param run the newest of its file
 */
export async function isHalted(
  run: RunView | undefined,
  generation: number,
  lastSeenOf: LastSeenOf,
): Promise<boolean> {
  // Its session has no place for it, or its start is due; one that begins later finds that the file is deleted.
  if (!run || run.generation < generation) return true;
  const { outcome, activities, decision, operatorPause } = run;
  if (run.generation > generation || outcome !== 'running' || decision) return false;
  if (activities.some(({ state }) => state === 'running')) return false;
  if (operatorPause !== undefined || activities.some(isWaitingAgain)) return true;
  const queues = activities.map(({ queue }) => queue).filter((queue) => queue !== undefined);
  const seen = await Promise.all(queues.map((queue) => lastSeenOf(queue)));
  return seen.some((at) => isUnserved(at, new Date()));
}

function isWaitingAgain({ attempt, lastFailure, sessionPaused, operatorPause }: PendingActivity): boolean {
  return attempt > 1 || lastFailure !== undefined || sessionPaused === true || operatorPause !== undefined;
}
