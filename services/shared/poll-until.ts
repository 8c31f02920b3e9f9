import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 50;
/** Five statements a second for each client that waits. */
const LONGEST_PAUSE_MS = 200;
/** A start that fails takes up to a second, and its failure is logged. */
const FIRST_START_MS = 1000;
const LONGEST_START_MS = 8000;

export interface PollOptions {
  milliseconds: number;
  /** Nobody waits any more once this is aborted. */
  signal?: AbortSignal;
  /** Starts what is still due; called ever more rarely, since the sweep may come after the client has given up. */
  startDue?: () => Promise<unknown>;
}

/**
 * Repeats a check of rows, ever more slowly, until it has a result or the time is up: they have the outcome whichever
 * process recorded it. It is made at least once. What missed the engine when it was accepted is started meanwhile.
 *
 * @returns undefined when the time is up
 */
export async function pollUntil<T>(
  check: () => Promise<T | undefined>,
  { milliseconds, signal, startDue }: PollOptions,
): Promise<T | undefined> {
  const deadline = Date.now() + milliseconds;
  let [startAt, startPause] = [0, FIRST_START_MS];
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const result = await check();
    const left = deadline - Date.now();
    if (result !== undefined || left <= 0 || signal?.aborted) return result;
    if (startDue && Date.now() >= startAt) {
      await startDue();
      startAt = Date.now() + startPause;
      startPause = Math.min(startPause * 2, LONGEST_START_MS);
    }
    await sleep(Math.max(0, Math.min(pause, deadline - Date.now())));
  }
}
