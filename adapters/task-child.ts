import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { PooledChild } from './child-pool.ts';
import { lowerPriority, processUse } from './processor-time.ts';

/** What one task may use. */
export interface TaskBudget {
  /** Processor time of all threads of the child. Where it cannot be read (only Linux tells it), `wallMs` alone holds. */
  cpuMs: number;
  /** Against a child that waits for ever: a busy machine must not reach it before `cpuMs`. */
  wallMs: number;
}

/** Time that passes for each unit of processor time on a machine that is as busy as it may be. */
const WALL_FACTOR = 30;
const LEAST_WALL_MS = 180_000;
/** Below the limit of an attempt (`cpuBound`, `ocr` in workflows/activity-options.ts). */
const MOST_WALL_MS = 1_500_000;

/** A budget of processor time, with a limit of time that only a child reaches that does nothing. */
export function taskBudget(cpuMs: number): TaskBudget {
  return { cpuMs, wallMs: Math.min(MOST_WALL_MS, Math.max(LEAST_WALL_MS, cpuMs * WALL_FACTOR)) };
}

export interface TaskChildOptions {
  /** The module that the process runs; it answers each message with one message. */
  entry: string;
  args?: readonly string[];
  execArgv?: readonly string[];
  stderr: 'ignore' | 'inherit';
  /** A task that takes the process above this is ended. */
  maxRssBytes?: number | undefined;
  /** The child is replaced after this many tasks, or above this memory between two, because decoders do not free everything. */
  maxTasks: number;
  idleRssBytes: number;
}

/**
 * A child process that does one task at a time, within a budget. A task of more than two seconds of processor time continues at
 * a lower priority, so that short tasks of others do not wait for it. A priority cannot be raised again.
 */
export interface TaskChild<Request, Reply> extends PooledChild {
  /**
   * @param signal aborting kills the child and rejects with the reason
   * @throws ChildDied, ChildOverBudget or the abort reason, which end the child
   */
  run(request: Request, budget: TaskBudget, signal: AbortSignal): Promise<Reply>;
}

/** The process died of itself, or somebody else killed it. */
export class ChildDied extends Error {
  override readonly name = 'ChildDied';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;

  constructor(exitCode: number | null, signal: NodeJS.Signals | null) {
    super(`A child process died (${signal ?? `exit code ${exitCode}`}).`);
    this.exitCode = exitCode;
    this.signal = signal;
  }
}

/** The process was killed because its task used more than it may. */
export class ChildOverBudget extends Error {
  override readonly name = 'ChildOverBudget';
  readonly resource: 'time' | 'memory';

  constructor(resource: 'time' | 'memory') {
    super(`A task used more ${resource} than it may.`);
    this.resource = resource;
  }
}

const CHECK_MS = 200;
/** A task that uses more is a long one, and leaves the processors to others. */
const SHORT_CPU_MS = 2_000;
/** What a process uses to start, which is no part of its first task. */
const START_CPU_MS = 1_000;
/** Nothing of the parent's environment, which has keys. Two arenas keep glibc from hoarding freed memory per thread. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };

export function startTaskChild<Request extends object, Reply>(
  options: TaskChildOptions,
): TaskChild<Request, Reply> {
  const { maxRssBytes = Infinity, maxTasks, idleRssBytes } = options;
  const child = fork(options.entry, [...(options.args ?? [])], {
    serialization: 'advanced',
    execArgv: [...(options.execArgv ?? [])],
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', options.stderr, 'ipc'],
  });
  let alive = true;
  let tasks = 0;
  let lowered = false;
  let used = { cpuMs: 0, rssBytes: 0 };
  child.once('exit', () => (alive = false));
  // A process that could not be started emits no exit event.
  child.on('error', () => (alive = false));
  const look = async () => (used = (await processUse(child.pid)) ?? used);

  return {
    async run(request, { cpuMs, wallMs }, signal) {
      signal.throwIfAborted();
      let killedFor: Error | undefined;
      const kill = (reason: Error): void => {
        killedFor ??= reason;
        child.kill('SIGKILL');
      };
      const onAbort = (): void => kill(signal.reason as Error);
      const before = tasks === 0 ? START_CPU_MS : used.cpuMs;
      const check = async (): Promise<void> => {
        const now = await look();
        if (now.cpuMs - before > cpuMs) kill(new ChildOverBudget('time'));
        if (now.rssBytes > maxRssBytes) kill(new ChildOverBudget('memory'));
        if (now.cpuMs - before > SHORT_CPU_MS && !lowered) {
          lowered = true;
          await lowerPriority(child.pid);
        }
      };
      const checks = setInterval(() => void check(), CHECK_MS);
      const timer = setTimeout(() => kill(new ChildOverBudget('time')), wallMs);
      signal.addEventListener('abort', onAbort, { once: true });
      const settled = new AbortController();
      try {
        const answer = once(child, 'message', { signal: settled.signal });
        const death = once(child, 'exit', { signal: settled.signal });
        child.send(request, (error) => error && kill(error));
        const reply = await Promise.race([
          answer.then(([reply]) => reply as Reply),
          death.then(([code, name]) => Promise.reject(killedFor ?? new ChildDied(code, name))),
        ]);
        tasks += 1;
        await look();
        return reply;
      } finally {
        settled.abort();
        clearTimeout(timer);
        clearInterval(checks);
        signal.removeEventListener('abort', onAbort);
      }
    },
    isFit: () => alive && tasks < maxTasks && used.rssBytes <= idleRssBytes,
    hasLowPriority: () => lowered,
    async kill() {
      if (!alive) return;
      const death = once(child, 'exit');
      child.kill('SIGKILL');
      await death;
    },
  };
}
