import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { TextOverBudget, TextThreadCrashed } from './errors.ts';
import type { TextReply, TextRequest } from './thread.ts';

export interface ThreadLimits {
  maxHeapBytes: number;
  /** A thread that has grown beyond this is replaced. */
  idleHeapBytes: number;
}

/** One thread, which does one task at a time. */
export interface TextThread {
  /**
   * @param cpuMs CPU time of the thread for this task
   * @throws TextOverBudget, TextThreadCrashed, what the task throws, and the reason of the signal; the thread has ended
   *   then, except for what the task throws
   */
  run(request: TextRequest, limits: { cpuMs: number; signal: AbortSignal }): Promise<unknown>;
  /** Alive, and within its limits. */
  isFit(): boolean;
  /** Resolves when it has ended. */
  end(): Promise<void>;
}

const MIB = 2 ** 20;
/** How often the clock of a working thread is read. */
const WATCH_MS = 250;

/** Starts a thread, which loads its code in about half a second. */
export function startTextThread({ maxHeapBytes, idleHeapBytes }: ThreadLimits): TextThread {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(maxHeapBytes / MIB) },
  });
  // Idle, it must not keep its process alive.
  worker.unref();
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);
  let isFit = true;
  let task: PromiseWithResolvers<unknown> | undefined;

  const fail = (error: unknown): void => {
    isFit = false;
    ready.reject(error);
    task?.reject(error);
  };
  worker.on('error', (error: Error & { code?: string }) =>
    fail(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new TextOverBudget('too_large')
        : new TextThreadCrashed(error),
    ),
  );
  worker.on('exit', (code) => fail(new TextThreadCrashed(`exit code ${code}`)));
  worker.on('message', (reply: TextReply) => {
    if (reply.kind === 'ready') return ready.resolve();
    if (reply.heapBytes > idleHeapBytes) isFit = false;
    if (reply.kind === 'done') task?.resolve(reply.result);
    else task?.reject(reply.error);
  });

  const cpuMs = async (): Promise<number> => {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  };

  /** Ends the task when its thread has used up its CPU time. */
  async function watch(budgetMs: number, over: AbortSignal): Promise<void> {
    const began = await cpuMs();
    while (!over.aborted) {
      await delay(WATCH_MS, undefined, { ref: false });
      const used = (await cpuMs()) - began;
      if (!over.aborted && used > budgetMs) fail(new TextOverBudget('took_too_long'));
    }
  }

  return {
    isFit: () => isFit,
    async run(request, limits) {
      const { signal } = limits;
      signal.throwIfAborted();
      const running = Promise.withResolvers<unknown>();
      task = running;
      const over = new AbortController();
      const abort = (): void => fail(signal.reason);
      worker.ref();
      signal.addEventListener('abort', abort, { once: true });
      try {
        await Promise.race([ready.promise, running.promise]);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
        worker.postMessage(request);
        // Only the clock of a thread that has ended cannot be read, and that tells why by itself.
        watch(limits.cpuMs, over.signal).catch(() => undefined);
        return await running.promise;
      } finally {
        over.abort();
        signal.removeEventListener('abort', abort);
        task = undefined;
        worker.unref();
        if (!isFit) await worker.terminate();
      }
    },
    async end() {
      isFit = false;
      await worker.terminate();
    },
  };
}
