import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessLedger } from './process-ledger.ts';
import {
  type ProcessName,
  type ProcessPlan,
  type Ending,
  type Program,
  failureLine,
  runProgram,
  signalProcess,
} from './program.ts';
import { StackError } from './stack-error.ts';

/** The running processes of one stack, by name. */
export interface ProcessTable {
  /** Spawns a process and waits until it is ready. Throws StackError otherwise, and leaves nothing running. */
  start(plan: ProcessPlan): Promise<void>;
  /**
   * Stops a process gracefully, or kills it after the plan's timeout, and waits for its exit. No-op if it is not
   * running.
   */
  stop(name: ProcessName): Promise<void>;
  /** Sends a signal to the process itself, not its group; after SIGKILL waits for its exit. */
  kill(name: ProcessName, signal: NodeJS.Signals): Promise<void>;
  /** Resolves when no start is in progress. */
  idle(): Promise<void>;
  /** Kills everything without waiting. */
  killAll(): void;
  pids(): Partial<Record<ProcessName, number>>;
}

interface Entry {
  plan: ProcessPlan;
  program: Program;
  /** True once ready and until stopped: only then is an exit unexpected and reported. */
  serving: boolean;
}

/**
 * @param signal  aborts every wait and prevents further starts
 * @param onDeath called for each process that exits unexpectedly after it was ready
 */
export function createProcessTable(deps: {
  ledger: ProcessLedger;
  signal: AbortSignal;
  onDeath: (plan: ProcessPlan, ending: Ending) => void;
}): ProcessTable {
  const { ledger, signal, onDeath } = deps;
  const entries = new Map<ProcessName, Entry>();
  const inProgress = new Set<Promise<void>>();

  const spawn = async (plan: ProcessPlan): Promise<Entry> => {
    await plan.beforeStart?.();
    signal.throwIfAborted();
    const entry: Entry = { plan, program: await runProgram(plan), serving: false };
    entries.set(plan.name, entry);
    ledger.record(plan.name, entry.program.pid, plan.stopSignal);
    void entry.program.ended.then((ending) => {
      entries.delete(plan.name);
      ledger.forget(plan.name);
      if (entry.serving) onDeath(plan, ending);
    });
    return entry;
  };

  const end = async (entry: Entry): Promise<void> => {
    entry.serving = false;
    const { program, plan } = entry;
    signalProcess(program.pid, plan.stopSignal);
    const timeout = setTimeout(() => signalProcess(-program.pid, 'SIGKILL'), plan.stopWithinMs);
    await program.ended;
    clearTimeout(timeout);
    await plan.afterStop?.();
  };

  const start = async (plan: ProcessPlan): Promise<void> => {
    if (entries.has(plan.name)) throw new StackError(`${plan.title} is already running.`);
    const deadline = Date.now() + plan.readyWithinMs;
    for (;;) {
      const entry = await spawn(plan);
      try {
        const ending = await untilReady(entry, deadline, signal);
        if (ending === undefined) {
          entry.serving = true;
          return;
        }
        const words = failureLine(plan.logFile);
        if (plan.retryable?.test(words) !== true) {
          throw new StackError(
            `${plan.title} stopped while starting (${ending}): ${words} (see ${plan.logFile})`,
          );
        }
      } catch (error) {
        await end(entry);
        throw error;
      }
      await delay(200, undefined, { signal });
    }
  };

  return {
    async start(plan) {
      const starting = start(plan);
      inProgress.add(starting);
      await starting.finally(() => inProgress.delete(starting));
    },
    async idle() {
      await Promise.allSettled(inProgress);
    },
    async stop(name) {
      const entry = entries.get(name);
      if (entry !== undefined) await end(entry);
    },
    async kill(name, signal) {
      const entry = entries.get(name);
      if (entry === undefined) throw new StackError(`${name} is not running.`);
      signalProcess(entry.program.pid, signal);
      if (signal === 'SIGKILL') await entry.program.ended;
    },
    killAll() {
      for (const { program } of entries.values()) signalProcess(-program.pid, 'SIGKILL');
    },
    pids: () => Object.fromEntries([...entries].map(([name, { program }]) => [name, program.pid])),
  };
}

/** Resolves to undefined once the process is ready, or to its ending if it exits first. */
async function untilReady(entry: Entry, deadline: number, signal: AbortSignal): Promise<Ending | undefined> {
  const { plan, program } = entry;
  for (;;) {
    signal.throwIfAborted();
    // Probes fail in many ways while a server starts, so every error means "not ready yet".
    const ready = await plan.ready(program.pid).catch(() => false);
    const ending = program.ending();
    if (ending !== undefined) return ending;
    if (ready) return undefined;
    if (Date.now() > deadline) {
      const seconds = Math.round(plan.readyWithinMs / 1000);
      throw new StackError(`${plan.title} is not ready after ${seconds} s; see ${plan.logFile}`);
    }
    await Promise.race([delay(50, undefined, { signal }), program.ended]);
  }
}
