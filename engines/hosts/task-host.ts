import { describeSpan, traced } from '../../domain/tracing.ts';
import { HostEnded, type Host } from './host.ts';
import type { PooledHost } from './host-pool.ts';
import type { ResourceUse } from './processor-time.ts';

/** Resource limits of a task. */
export interface TaskBudget {
  /** Processor time of all threads of the host. Without it (per process: Linux only), `wallMs` alone applies. */
  cpuMs: number;
  /** Ends a host that hangs; a busy machine must not reach it before `cpuMs`. By default a multiple of `cpuMs`. */
  wallMs?: number;
}

export interface TaskLimits {
  /** Memory of the host above which the task is ended. */
  maxBytes?: number;
  /** Replaced after this many tasks, or above this memory between tasks: decoders do not free all memory. */
  maxTasks?: number;
  idleBytes: number;
}

/**
 * A host that does one task at a time, within a budget. In a process, a task of more than two seconds of processor time
 * continues at a lower priority, so that short tasks of others do not wait for it.
 */
export interface TaskHost<Request, Reply> extends PooledHost {
  /** See `Host`. */
  readonly folder?: string;
  /**
   * @param signal aborting kills the host and rejects with the reason
   * @throws HostEnded or the abort reason, which end the host
   */
  run(request: Request, budget: TaskBudget, signal: AbortSignal): Promise<Reply>;
  hasLowPriority(): boolean;
  /** Processor time of the last task, as far as it is known: of one that ended its host, up to the last check. */
  lastTaskMs(): number;
}

/** Wall time per unit of processor time on a machine under the highest expected load. */
const WALL_FACTOR = 30;
const LEAST_WALL_MS = 180_000;
/** Below the limit of an attempt (`cpuBound`, `ocr` in workflows/activity-options.ts). */
const MOST_WALL_MS = 1_500_000;
const CHECK_MS = 200;
/** A task that uses more continues at a lower priority. */
const SHORT_CPU_MS = 2_000;
/** A host that used more since its last task is ended: collecting garbage takes less. */
const MOST_IDLE_CPU_MS = 3_000;
/** Start-up time of a host, not counted for its first task. */
const START_CPU_MS = 1_000;

export function createTaskHost<Request extends object, Reply>(
  host: Host,
  { maxBytes = Infinity, maxTasks = Infinity, idleBytes }: TaskLimits,
): TaskHost<Request, Reply> {
  let fit = true;
  let tasks = 0;
  let lowered = false;
  let lastTaskMs = 0;
  let used: ResourceUse = { cpuMs: START_CPU_MS, bytes: 0 };
  // One listener for all tasks: a race with `ended` for each would keep its reply until the host ends.
  let task: PromiseWithResolvers<Reply> | undefined;
  host.onMessage((reply) => task?.resolve(reply as Reply));
  void host.ended.then((how) => task?.reject(how));

  /** Charges no task with the time since the last one, which a host that has been taken over may use. */
  async function startAnew(signal: AbortSignal): Promise<void> {
    const now = await host.use();
    signal.throwIfAborted();
    if (now && now.cpuMs - used.cpuMs > MOST_IDLE_CPU_MS) {
      fit = false;
      await host.kill();
      throw await host.ended;
    }
    used = now ?? used;
  }

  return {
    ...(host.folder !== undefined && { folder: host.folder }),
    run: (request, budget, signal) => traced(host.name, () => runTask(request, budget, signal)),
    isFit: () => fit && host.isAlive() && tasks < maxTasks && used.bytes <= idleBytes,
    hasLowPriority: () => lowered,
    lastTaskMs: () => lastTaskMs,
    async kill() {
      fit = false;
      await host.kill();
    },
  };

  async function runTask(request: Request, budget: TaskBudget, signal: AbortSignal): Promise<Reply> {
    signal.throwIfAborted();
    if (!host.isAlive()) throw await host.ended;
    const own = Promise.withResolvers<Reply>();
    task = own;
    // Before the look at its use: what is awaited of a host that is not busy does not keep this process alive.
    host.setBusy(true);
    if (tasks > 0)
      await startAnew(signal).catch((error: unknown) => {
        host.setBusy(false);
        throw error;
      });
    const before = used.cpuMs;
    lastTaskMs = 0;
    const stop = watchTask({
      use: () => host.use(),
      before,
      budget,
      maxBytes,
      signal,
      onOver: own.reject,
      onUse({ cpuMs }) {
        lastTaskMs = cpuMs - before;
        if (lowered || cpuMs - before <= SHORT_CPU_MS) return;
        lowered = true;
        void host.lowerPriority();
      },
    });
    try {
      host.post(request);
      const reply = await own.promise;
      tasks += 1;
      used = (await host.use()) ?? used;
      lastTaskMs = Math.max(0, used.cpuMs - before);
      describeSpan({ cpu_ms: Math.round(lastTaskMs) });
      return reply;
    } catch (error) {
      fit = false;
      await host.kill();
      throw error;
    } finally {
      stop();
      task = undefined;
      host.setBusy(false);
    }
  }
}

/**
 * Monitors the resource use of a task until stopped.
 *
 * @param options `before`: processor time that is not part of the task; `onOver` receives a HostEnded when the task is
 *   over its budget, or the reason of the signal
 * @returns stops it
 */
export function watchTask(options: {
  use: () => Promise<ResourceUse | undefined>;
  before: number;
  budget: TaskBudget;
  maxBytes?: number;
  signal: AbortSignal;
  onOver: (reason: unknown) => void;
  onUse?: (used: ResourceUse) => void;
}): () => void {
  const { use, before, budget, maxBytes = Infinity, signal, onOver, onUse } = options;
  const { cpuMs, wallMs = wallOf(cpuMs) } = budget;
  const check = async (): Promise<void> => {
    const now = await use();
    if (now === undefined) return;
    if (now.cpuMs - before > cpuMs) onOver(new HostEnded('time'));
    if (now.bytes > maxBytes) onOver(new HostEnded('memory'));
    onUse?.(now);
  };
  const onAbort = (): void => onOver(signal.reason);
  const checks = setInterval(() => void check(), CHECK_MS);
  const timer = setTimeout(() => onOver(new HostEnded('time')), wallMs);
  signal.addEventListener('abort', onAbort, { once: true });
  return () => {
    clearInterval(checks);
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
}

/** Wall-time limit that only a hanging host reaches. */
export function wallOf(cpuMs: number): number {
  return Math.min(MOST_WALL_MS, Math.max(LEAST_WALL_MS, cpuMs * WALL_FACTOR));
}
