import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import { commandOf } from '../../dev/processes/process-identity.ts';
import { signalProcess, type ProcessName } from '../../dev/processes/program.ts';
import { StackError } from '../../dev/processes/stack-error.ts';
import { descendantsOf } from '../shared/process-tree.ts';
import type { Clocks } from './clocks.ts';
import type { Connections } from './connections.ts';
import { nameOfFault, PROCESSES, type Fault, type Victim } from './plan-faults.ts';
import type { Volume } from '../shared/volume.ts';

const POLL_MS = 100;
/** Key of the fault in which the disk is full. */
const FULL_DISK = 'disk';
/** Attempts for a process that exits while starting, for example because a server it needs was killed. */
const STARTS = 5;
/** Maximum wait for a child process; after it, the fault hits the process that starts such children. */
const CHILD_WITHIN_MS = 10_000;
/** Title of the child processes that do work, and the process that starts them. */
const CHILD_PROCESSES: Readonly<Partial<Record<Victim, { title: string; parent: ProcessName }>>> = {
  reader: { title: 'darkroom-reader', parent: 'worker-cpu' },
  decoder: { title: 'darkroom-decoder file/', parent: 'worker-cpu' },
  index: { title: 'darkroom-vectors', parent: 'worker' },
};

export interface FaultInjector {
  /** Resolves after the last fault, when every process is running again. Rejects if a process does not restart. */
  done: Promise<void>;
  /** Cancels the remaining faults. */
  stop(): void;
  /** Faults so far, by name. */
  readonly injected: ReadonlyMap<string, number>;
  /** Unexpected exits by process. */
  readonly unexpectedExits: ReadonlyMap<string, number>;
  /** One line for each fault that is not over, and for the next one. */
  waiting(): string[];
}

/**
 * Injects faults as planned and ends each after its time: starts killed processes and continues suspended ones. Also
 * restarts processes that exit on their own, as a supervisor would, until the signal is aborted.
 *
 * @param volume   the disk of the stack, if it can be filled
 * @param clocks   the clocks of API and workers, if they can be changed
 * @param progress share of the run that is done, 0 to 1
 */
export function startFaults(options: {
  stack: Stack;
  faults: readonly Fault[];
  connections: Connections;
  volume: Volume | undefined;
  clocks: Clocks | undefined;
  progress: () => number;
  signal: AbortSignal;
}): FaultInjector {
  const { stack, faults, connections, volume, clocks, progress, signal } = options;
  const [injected, unexpectedExits] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  /** The faults that are not over, by process or name. */
  const open = new Map<string, { what: string; since: number; over: Promise<void> }>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const stopped = new AbortController();
  const until = AbortSignal.any([signal, stopped.signal]);
  let next = 'no fault';
  const hasQdrant = 'QDRANT_URL' in stack.env;
  const watched: readonly ProcessName[] = [...PROCESSES, ...(hasQdrant ? (['qdrant'] as const) : [])];

  /** Lists a fault as open until the work that ends it is done. */
  function endLater(key: string, what: string, end: () => Promise<void>): void {
    const over = end().finally(() => open.delete(key));
    open.set(key, { what, since: Date.now(), over });
    over.catch(failed.reject);
  }

  async function restart(name: ProcessName, ended: Promise<void>, downMs: number): Promise<void> {
    await ended;
    await delay(downMs, undefined, { signal });
    for (let start = 1; ; start += 1) {
      // No process starts on a full disk.
      await open.get(FULL_DISK)?.over;
      try {
        return await stack.start(name);
      } catch (error) {
        if (signal.aborted || start === STARTS || !(error instanceof StackError)) throw error;
      }
    }
  }

  function killProcess(name: ProcessName, downMs: number): void {
    const ended = stack.kill(name);
    endLater(name, `restart of ${name}`, () => restart(name, ended, downMs));
  }

  function suspend(key: string, pid: number, forMs: number): void {
    const pids = [pid, ...descendantsOf(pid)];
    const signalAll = (name: NodeJS.Signals) => {
      for (const each of pids) signalProcess(each, name);
    };
    signalAll('SIGSTOP');
    during(key, `suspend ${key}`, forMs, () => signalAll('SIGCONT'));
  }

  /** The process to hit, with its name unless it is a child process. */
  async function findVictim(victim: Victim): Promise<{ name?: ProcessName; pid: number }> {
    await open.get(victim)?.over;
    if (victim === 'index' && hasQdrant) return untilRunning('qdrant');
    const child = CHILD_PROCESSES[victim];
    if (!child) return untilRunning(victim as ProcessName);
    for (const deadline = Date.now() + CHILD_WITHIN_MS; Date.now() < deadline;) {
      const pid = stack.pid(child.parent);
      const found = (pid === undefined ? [] : descendantsOf(pid)).find((each) =>
        commandOf(each)?.startsWith(child.title),
      );
      if (found !== undefined) return { pid: found };
      await delay(POLL_MS, undefined, { signal: until });
    }
    return untilRunning(child.parent);
  }

  async function untilRunning(name: ProcessName): Promise<{ name: ProcessName; pid: number }> {
    for (;;) {
      await open.get(name)?.over;
      const pid = stack.pid(name);
      if (pid !== undefined) return { name, pid };
      // It has just exited by itself, and the watch restarts it.
      await delay(POLL_MS, undefined, { signal: until });
    }
  }

  /** Begins something that is reverted after a time. */
  function during(key: string, what: string, forMs: number, revert: () => void): void {
    endLater(key, what, () => delay(forMs, undefined, { signal }).finally(revert));
  }

  async function inject(fault: Fault): Promise<void> {
    const { forMs } = fault;
    const name = nameOfFault(fault);
    if (fault.kind === 'kill' || fault.kind === 'suspend') {
      const victim = await findVictim(fault.target);
      if (fault.kind === 'suspend') suspend(victim.name ?? fault.target, victim.pid, forMs);
      else if (victim.name === undefined) signalProcess(victim.pid, 'SIGKILL');
      else killProcess(victim.name, forMs);
      count(injected, name);
      return;
    }
    const key = fault.kind === 'fill' ? FULL_DISK : name;
    // Reverting the first of two would end the second one early.
    await open.get(key)?.over;
    if (fault.kind === 'disconnect') {
      const { target } = fault;
      connections.interrupt(target);
      during(key, name, forMs, () => connections.restore(target));
    } else if (fault.kind === 'fill') {
      volume?.fill();
      during(key, name, forMs, () => volume?.free());
    } else {
      const { target, seconds } = fault;
      clocks?.set(target, seconds);
      during(key, `${name} by ${seconds} s`, forMs, () => clocks?.set(target, 0));
    }
    count(injected, name);
  }

  async function injectAll(): Promise<void> {
    try {
      for (const fault of faults) {
        next = `${nameOfFault(fault)} at ${Math.round(fault.at * 100)} % of progress`;
        while (progress() < fault.at) await delay(POLL_MS, undefined, { signal: until });
        await delay(fault.afterMs, undefined, { signal: until });
        await inject(fault);
      }
      next = 'no fault';
    } catch (error) {
      signal.throwIfAborted();
      if (!stopped.signal.aborted) throw error;
    }
    await Promise.all([...open.values()].map(({ over }) => over));
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      for (const name of watched) {
        if (stack.pid(name) !== undefined || open.has(name)) continue;
        count(unexpectedExits, name);
        endLater(name, `restart of ${name}, which exited`, () => restart(name, Promise.resolve(), POLL_MS));
      }
      await delay(POLL_MS, undefined, { signal });
    }
  }

  // Processes may also exit on their own after the last fault.
  watch().catch(() => undefined);
  const done = Promise.race([injectAll(), failed.promise]);
  done.catch(() => undefined);
  return {
    done,
    stop: () => stopped.abort(),
    injected,
    unexpectedExits,
    waiting: () => [
      ...[...open.values()].map(
        ({ what, since }) => `${what} for ${Math.round((Date.now() - since) / 1000)} s`,
      ),
      `next: ${next}, now at ${Math.round(progress() * 100)} %`,
    ],
  };
}
