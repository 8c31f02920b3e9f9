import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import { StackError } from '../../dev/processes/stack-error.ts';
import type { ProcessName } from '../../dev/processes/process-plan.ts';
import type { Kill } from './plan.ts';

const LOOK_MS = 100;
/** Of a process that ends while it starts, as when the server that it needs was killed in between. */
const STARTS = 5;
const WATCHED: ProcessName[] = ['api', 'worker', 'worker-cpu', 'worker-ocr', 'temporal', 'postgres', 's3'];

export interface Killer {
  /** Resolves when all kills are done and every process runs again. Rejects when one does not restart. */
  done: Promise<void>;
  /** How often each was killed. */
  readonly kills: ReadonlyMap<string, number>;
  /** How often each ended without being killed. */
  readonly deaths: ReadonlyMap<string, number>;
}

/**
 * Kills processes with SIGKILL as planned and restarts them; also those that exit on their own, as
 * a supervisor would.
 *
 * @param progress share of the run that is done, 0 to 1
 * @param signal   ends it
 */
export function startKiller(options: {
  stack: Stack;
  kills: Kill[];
  progress: () => number;
  signal: AbortSignal;
}): Killer {
  const { stack, progress, signal } = options;
  const [kills, deaths] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const reviving = new Map<ProcessName, Promise<void>>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);

  async function revive(name: ProcessName, killed: Promise<void>, downMs: number): Promise<void> {
    await killed;
    await delay(downMs, undefined, { signal });
    for (let start = 1; ; start += 1) {
      try {
        return await stack.start(name);
      } catch (error) {
        if (signal.aborted || start === STARTS || !(error instanceof StackError)) throw error;
      }
    }
  }

  function bringBack(name: ProcessName, killed: Promise<void>, downMs: number): void {
    const back = revive(name, killed, downMs).finally(() => reviving.delete(name));
    reviving.set(name, back);
    back.catch(failed.reject);
  }

  async function work(): Promise<void> {
    for (const { at, afterMs, victim, downMs } of options.kills) {
      while (progress() < at) await delay(LOOK_MS, undefined, { signal });
      await delay(afterMs, undefined, { signal });
      await reviving.get(victim);
      // It may have exited a moment ago; the watch restarts it.
      while (stack.pid(victim) === undefined) await delay(LOOK_MS, undefined, { signal });
      bringBack(victim, stack.kill(victim), downMs);
      count(kills, victim);
    }
    await Promise.all(reviving.values());
  }

  async function watch(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      for (const name of WATCHED) {
        if (stack.pid(name) !== undefined || reviving.has(name)) continue;
        count(deaths, name);
        bringBack(name, Promise.resolve(), LOOK_MS);
      }
      await delay(LOOK_MS, undefined, { signal: until });
    }
  }

  async function workUnderWatch(): Promise<void> {
    const over = new AbortController();
    const watching = watch(AbortSignal.any([signal, over.signal])).catch(() => undefined);
    try {
      await Promise.race([work(), failed.promise]);
    } finally {
      over.abort();
      await watching;
    }
  }

  const done = workUnderWatch();
  done.catch(() => undefined);
  return { done, kills, deaths };
}
