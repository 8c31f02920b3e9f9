import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import { StackError } from '../../dev/processes/stack-error.ts';
import type { ProcessName } from '../../dev/processes/program.ts';
import type { Kill } from './plan.ts';

const POLL_MS = 100;
/** Attempts for a process that exits while starting, for example because a server it needs was killed. */
const STARTS = 5;
const WATCHED: ProcessName[] = ['api', 'worker', 'worker-cpu', 'worker-ocr', 'temporal', 'postgres', 's3'];

export interface Killer {
  /** Resolves after the last kill, when every process is running again. Rejects if a process does not restart. */
  done: Promise<void>;
  /** Cancels the remaining kills. */
  stop(): void;
  /** Kills by process. */
  readonly kills: ReadonlyMap<string, number>;
  /** Unexpected exits by process. */
  readonly unexpectedExits: ReadonlyMap<string, number>;
}

/**
 * Kills processes with SIGKILL as planned and restarts them. Also restarts those that exit on their own, as a
 * supervisor would.
 *
 * @param progress share of the run that is done, 0 to 1
 */
export function startKiller(options: {
  stack: Stack;
  kills: Kill[];
  progress: () => number;
  signal: AbortSignal;
}): Killer {
  const { stack, progress, signal } = options;
  const [kills, unexpectedExits] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const reviving = new Map<ProcessName, Promise<void>>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const stopped = new AbortController();

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

  async function killAsPlanned(): Promise<void> {
    const until = AbortSignal.any([signal, stopped.signal]);
    for (const { at, afterMs, victim, downMs } of options.kills) {
      while (progress() < at) await delay(POLL_MS, undefined, { signal: until });
      await delay(afterMs, undefined, { signal: until });
      await reviving.get(victim);
      // If it has just exited by itself, the watch restarts it.
      while (stack.pid(victim) === undefined) await delay(POLL_MS, undefined, { signal: until });
      bringBack(victim, stack.kill(victim), downMs);
      count(kills, victim);
    }
  }

  async function killAndBringBack(): Promise<void> {
    try {
      await killAsPlanned();
    } catch (error) {
      signal.throwIfAborted();
      if (!stopped.signal.aborted) throw error;
    }
    await Promise.all(reviving.values());
  }

  async function watch(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      for (const name of WATCHED) {
        if (stack.pid(name) !== undefined || reviving.has(name)) continue;
        count(unexpectedExits, name);
        bringBack(name, Promise.resolve(), POLL_MS);
      }
      await delay(POLL_MS, undefined, { signal: until });
    }
  }

  async function killAndWatch(): Promise<void> {
    const over = new AbortController();
    const watching = watch(AbortSignal.any([signal, over.signal])).catch(() => undefined);
    try {
      await Promise.race([killAndBringBack(), failed.promise]);
    } finally {
      over.abort();
      await watching;
    }
  }

  const done = killAndWatch();
  done.catch(() => undefined);
  return { done, stop: () => stopped.abort(), kills, unexpectedExits };
}
