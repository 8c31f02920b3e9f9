import { Context } from '@temporalio/activity';
import { setTimeout as delay } from 'node:timers/promises';

/** Each is a write of the engine; a worker is lost after ten seconds of silence. */
const HEARTBEAT_MS = 3000;
/** A search that takes longer hangs: the next attempt begins anew. */
const SEARCH_MS = 60_000;

export interface Repetition {
  everySeconds: number;
  /** Duration; at least one search is made. */
  forSeconds: number;
  /** Aborted when the worker stops. */
  stopping: AbortSignal;
}

/**
 * Repeats a search within one attempt of an activity. Its heartbeat has the number of searches and their results.
 *
 * @returns seconds that have passed, at least one; fewer than asked for when the worker stops
 * @throws errors of a search, an error for a search that hangs, the cancellation of the activity
 */
export async function repeatedly(
  search: () => Promise<number>,
  { everySeconds, forSeconds, stopping }: Repetition,
): Promise<number> {
  const context = Context.current();
  const signal = AbortSignal.any([context.cancellationSignal, stopping]);
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1000;
  let [searches, found] = [0, 0];
  const beat = setInterval(() => context.heartbeat({ searches, found }), HEARTBEAT_MS);
  try {
    do {
      found += await withinLimit(search());
      searches += 1;
      await delay(everySeconds * 1000, undefined, { signal }).catch(unlessAborted);
      context.cancellationSignal.throwIfAborted();
    } while (passed() < forSeconds && !stopping.aborted);
    return Math.max(1, Math.round(passed()));
  } finally {
    clearInterval(beat);
  }
}

async function withinLimit(found: Promise<number>): Promise<number> {
  const done = new AbortController();
  const limit = delay(SEARCH_MS, undefined, { signal: done.signal }).then(() => {
    throw new Error(`the search did not end within ${SEARCH_MS / 1000} s`);
  }, unlessAborted);
  try {
    return await Promise.race([found, limit as Promise<never>]);
  } finally {
    done.abort();
  }
}

function unlessAborted(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
