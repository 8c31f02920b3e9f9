import { setTimeout as delay } from 'node:timers/promises';

/** The progress of a run. */
interface Counts {
  /** Number of planned files. */
  files: number;
  /** Number of distinct contents in the plan; duplicates share one file. */
  contents: number;
  /** True until the client has received the last response or given up. */
  uploading: boolean;
  /** Number of files that the API has accepted. */
  accepted: number;
  /** Number of distinct files known to be stored. */
  stored: number;
  ended: number;
}

/**
 * The share of a run that is done, 0 to 1. Once the client has stopped uploading, only stored files count: those that
 * it has given up will not arrive.
 */
export function shareDone({ files, contents, uploading, accepted, stored, ended }: Counts): number {
  const expected = uploading ? contents : stored;
  return ((uploading ? accepted / files : 1) + (expected === 0 ? 1 : ended / expected)) / 2;
}

/** A run made no progress for too long. */
export class StalledRun extends Error {}

const POLL_MS = 1_000;
const EXPLAINED_AFTER_MS = 120_000;
const GIVEN_UP_AFTER_MS = 300_000;

/**
 * Watches a run for stalls. Prints the pending work after two minutes without progress, and again before it gives up.
 *
 * @param state   a value that differs after every change
 * @param explain returns lines for the user
 * @throws StalledRun
 */
export async function watchForStall(options: {
  state: () => string;
  explain: () => Promise<string[]>;
  print: (line: string) => void;
  signal: AbortSignal;
  explainedAfterMs?: number;
  givenUpAfterMs?: number;
}): Promise<never> {
  const { state, explain, print, signal } = options;
  const { explainedAfterMs = EXPLAINED_AFTER_MS, givenUpAfterMs = GIVEN_UP_AFTER_MS } = options;
  let last = { state: state(), since: Date.now(), explained: false };
  async function report(): Promise<void> {
    print(`no progress for ${Math.round((Date.now() - last.since) / 1000)} s; pending work:`);
    for (const line of await explain()) print(`    ${line}`);
  }
  for (;;) {
    await delay(Math.min(POLL_MS, explainedAfterMs), undefined, { signal });
    const now = state();
    const stillMs = Date.now() - last.since;
    if (now !== last.state) last = { state: now, since: Date.now(), explained: false };
    else if (stillMs >= givenUpAfterMs) {
      await report();
      throw new StalledRun(`the run made no progress for ${Math.round(stillMs / 1000)} s`);
    } else if (stillMs >= explainedAfterMs && !last.explained) {
      last.explained = true;
      await report();
    }
  }
}
