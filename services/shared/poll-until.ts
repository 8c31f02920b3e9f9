import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 50;
/** At most five statements per second for each waiting client. */
const LONGEST_PAUSE_MS = 200;
/** A start that fails takes up to a second, and its failure is logged. */
const FIRST_START_MS = 1000;
const LONGEST_START_MS = 8000;

export interface PollOptions {
  milliseconds: number;
  /** Aborted once the client no longer waits. */
  signal?: AbortSignal;
  /** Starts work still due, at increasing intervals, since the sweep may come after the client has left. */
  startDue?: () => Promise<unknown>;
}

/**
 * Repeats a check of rows at increasing intervals until it has a result or the time is up: rows hold the outcome
 * whichever process recorded it. It runs at least once. Work that has not reached the engine is started meanwhile.
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
