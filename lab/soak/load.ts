import { setTimeout as delay } from 'node:timers/promises';
import { FILES_A_VISIT, type Visitor } from './visits.ts';

/** Concurrent visits while the capacity is measured. */
const CLIENTS = 8;
/** Further visits are skipped: the service is slower than measured. */
const MOST_AT_ONCE = 40;

/**
 * Measures the capacity of the service: files per second from clients that pause only for responses.
 *
 * @param seconds duration of the measurement, which is extended until a visit has ended in it; a warm-up of half that
 *   time precedes it
 * @returns files per second, more than 0
 * @throws RequestFailed if a visit fails
 */
export async function measureCapacity(
  visitor: Visitor,
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  const began = performance.now();
  const measured = () => (performance.now() - began) / 1000 - seconds / 2;
  let [files, until] = [0, 0];
  const client = async () => {
    while (measured() < seconds || files === 0) {
      signal.throwIfAborted();
      const count = await visitor.visit();
      if (measured() <= 0 || (measured() > seconds && files > 0)) continue;
      files += count;
      until = Math.max(seconds, measured());
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return files / until;
}

export interface Load {
  /** Number of files whose visits are complete. */
  readonly files: number;
  /** Number of visits in progress. */
  readonly visits: number;
  /** Counts of failures, by description. */
  readonly problems: ReadonlyMap<string, number>;
  /** Rejects only when the load cannot continue; never resolves before the signal is aborted. */
  readonly done: Promise<void>;
}

/**
 * Starts visits at a steady rate until aborted.
 *
 * @param onProblem receives each failure of a visit
 */
export function startLoad(
  visitor: Visitor,
  {
    filesPerSecond,
    onProblem,
    signal,
  }: { filesPerSecond: number; onProblem: (problem: string) => void; signal: AbortSignal },
): Load {
  const problems = new Map<string, number>();
  const note = (problem: string) => problems.set(problem, (problems.get(problem) ?? 0) + 1);
  const state = { files: 0, visits: 0 };
  const begun = new Set<Promise<void>>();

  async function visit(): Promise<void> {
    state.visits += 1;
    try {
      // Two statements: a single `+=` would read the count before the visit and lose updates.
      const count = await visitor.visit();
      state.files += count;
    } catch (error) {
      if (!signal.aborted) {
        const problem = (error as Error).message;
        note(problem);
        onProblem(problem);
      }
    } finally {
      state.visits -= 1;
    }
  }

  async function run(): Promise<void> {
    const everyMs = (FILES_A_VISIT / filesPerSecond) * 1000;
    const began = performance.now();
    for (let number = 0; !signal.aborted; number += 1) {
      const wait = began + number * everyMs - performance.now();
      if (wait > 0) await delay(wait, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      if (begun.size >= MOST_AT_ONCE) note('visits skipped because too many were in progress');
      else {
        const one = visit();
        begun.add(one);
        void one.then(() => begun.delete(one));
      }
    }
    await Promise.all(begun);
  }

  return {
    get files() {
      return state.files;
    },
    get visits() {
      return state.visits;
    },
    problems,
    done: run(),
  };
}
