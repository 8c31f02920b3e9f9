import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessLedger } from './process-ledger.ts';
import type { ProcessName, ProcessPlan } from './process-plan.ts';
import { type Ending, type Program, lastWords, runProgram, signalProcess } from './program.ts';
import { StackError } from './stack-error.ts';

/** The running processes of one stack, by name. */
export interface ProcessTable {
  /** Spawns the process and waits until it serves. Throws StackError if it does not, and leaves nothing running. */
  start(plan: ProcessPlan): Promise<void>;
  /** Asks for an orderly stop, kills after the plan's limit, and waits for the end. A process that is not running is not an error. */
  stop(name: ProcessName): Promise<void>;
  /** Sends a signal to the process itself; after SIGKILL waits for its end. */
  kill(name: ProcessName, signal: NodeJS.Signals): Promise<void>;
  /** Resolves when no start is in progress. */
  idle(): Promise<void>;
  /** Kills everything at once and waits for nothing. */
  killAll(): void;
  pids(): Partial<Record<ProcessName, number>>;
}

interface Entry {
  plan: ProcessPlan;
  program: Program;
  /** Only an unrequested end of a process that was serving is reported. */
  serving: boolean;
}

/**
 * @param signal  aborts every wait and forbids further starts
 * @param onDeath called for each process that ended unexpectedly after it had served
 */
export function createProcessTable(deps: {
  ledger: ProcessLedger;
  signal: AbortSignal;
  onDeath: (plan: ProcessPlan, ending: Ending) => void;
}): ProcessTable {
  const { ledger, signal, onDeath } = deps;
  const entries = new Map<ProcessName, Entry>();
  const underWay = new Set<Promise<void>>();

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
    const impatience = setTimeout(() => signalProcess(-program.pid, 'SIGKILL'), plan.stopWithinMs);
    await program.ended;
    clearTimeout(impatience);
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
        const words = lastWords(plan.logFile);
        if (plan.passing?.test(words) !== true) {
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
      underWay.add(starting);
      await starting.finally(() => underWay.delete(starting));
    },
    async idle() {
      await Promise.allSettled(underWay);
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

/** Undefined once it serves, or how it ended before that. */
async function untilReady(entry: Entry, deadline: number, signal: AbortSignal): Promise<Ending | undefined> {
  const { plan, program } = entry;
  for (;;) {
    signal.throwIfAborted();
    // A probe fails in many ways while a server starts; all of them mean "not yet".
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
