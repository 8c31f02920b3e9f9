import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 50;
/** Five statements a second for each client that waits. */
const LONGEST_PAUSE_MS = 200;

/**
 * Repeats a check, ever more slowly, until it has a result or the time is up. It is made at least once.
 *
 * @returns undefined when the time is up
 */
export async function pollUntil<T>(
  check: () => Promise<T | undefined>,
  milliseconds: number,
): Promise<T | undefined> {
  const deadline = Date.now() + milliseconds;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const result = await check();
    const left = deadline - Date.now();
    if (result !== undefined || left <= 0) return result;
    await sleep(Math.min(pause, left));
  }
}
