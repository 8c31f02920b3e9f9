import { setTimeout as delay } from 'node:timers/promises';

/** How far a run has come. */
interface Counts {
  /** Number of planned files. */
  files: number;
  /** Different contents of the plan. Duplicates share the file that they duplicate. */
  contents: number;
  /** Whether the client has not yet had the last answer, or given up. */
  uploading: boolean;
  /** Files that the API has taken. */
  accepted: number;
  /** Different files that it is known to have stored. */
  stored: number;
  ended: number;
}

/**
 * The share of a run that is done, 0 to 1. What the client has given up can no longer come: once it uploads nothing
 * more, all is done when the files that arrived have ended.
 */
export function shareDone({ files, contents, uploading, accepted, stored, ended }: Counts): number {
  const expected = uploading ? contents : stored;
  return ((uploading ? accepted / files : 1) + (expected === 0 ? 1 : ended / expected)) / 2;
}

/** Nothing has changed for too long. */
export class StoodStill extends Error {}

const POLL_MS = 1_000;
const EXPLAINED_AFTER_MS = 60_000;
const GIVEN_UP_AFTER_MS = 300_000;

/**
 * Watches a run until it stands still. Reports the pending work after a minute without a change, and again before it
 * gives up.
 *
 * @param state   differs after every change
 * @param explain lines for the user
 * @throws StoodStill
 */
export async function untilStandstill(options: {
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
  async function tell(): Promise<void> {
    print(`nothing has changed for ${Math.round((Date.now() - last.since) / 1000)} s; what waits for what:`);
    for (const line of await explain()) print(`    ${line}`);
  }
  for (;;) {
    await delay(Math.min(POLL_MS, explainedAfterMs), undefined, { signal });
    const now = state();
    const stillMs = Date.now() - last.since;
    if (now !== last.state) last = { state: now, since: Date.now(), explained: false };
    else if (stillMs >= givenUpAfterMs) {
      await tell();
      throw new StoodStill(`the run stood still for ${Math.round(stillMs / 1000)} s`);
    } else if (stillMs >= explainedAfterMs && !last.explained) {
      last.explained = true;
      await tell();
    }
  }
}
