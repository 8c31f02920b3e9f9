import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { startThread, type Host, type ThreadOptions } from '../hosts/host.ts';

/** Memory shared with a thread that runs models: whether it is running one, and whether it is to end. */
type RunGuard = Int32Array<SharedArrayBuffer>;

const RUNNING = 0;
const ENDING = 1;
const LOOK_EVERY_MS = 5;

/**
 * A thread that runs models. The runtime aborts the whole process when its thread is ended amid a run, so `kill` waits for
 * the end of a run, which takes a second or two at most, and no other begins.
 */
export function startModelThread(options: Omit<ThreadOptions, 'data'>): Host {
  const guard: RunGuard = new Int32Array(new SharedArrayBuffer(8));
  const host = startThread({ ...options, data: guard });
  return {
    ...host,
    async kill() {
      Atomics.store(guard, ENDING, 1);
      while (host.isAlive() && Atomics.load(guard, RUNNING) === 1) await delay(LOOK_EVERY_MS);
      await host.kill();
    },
  };
}

const guard = workerData instanceof Int32Array ? (workerData as RunGuard) : undefined;

/** In the thread: a call of the runtime, which is synchronous once it has begun. @throws Error if the thread is to end */
export async function guarded<T>(call: () => Promise<T>): Promise<T> {
  if (!guard) return call();
  // Before the look at the other flag, which `kill` sets before it looks at this one.
  Atomics.store(guard, RUNNING, 1);
  try {
    if (Atomics.load(guard, ENDING) === 1) throw new Error('the thread is ending');
    return await call();
  } finally {
    Atomics.store(guard, RUNNING, 0);
  }
}
