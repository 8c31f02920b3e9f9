import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { LogOptions } from '../log/create-log.ts';

/** Input of the watching thread. */
export interface LoopWatch {
  /** Counts the turns of the watched loop. */
  turns: Int32Array<SharedArrayBuffer>;
  seconds: number;
  log: LogOptions;
}

/** Far longer than any request or task may block the loop, and the time after which compose fails a health check. */
const STANDSTILL_SECONDS = 30;
const TURN_MS = 1000;

/**
 * Ends this process with SIGKILL once its event loop has stood still for 30 seconds, after logging that: such a process
 * answers no health check, drains nothing and releases none of its work; its supervisor starts another. A thread
 * watches, since the loop cannot. A process that was suspended as a whole continues, and so does one under a debugger.
 */
export function watchLoop(log: LogOptions, seconds = STANDSTILL_SECONDS): void {
  if (debuggerUrl() !== undefined) return;
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setInterval(() => Atomics.add(turns, 0, 1), TURN_MS).unref();
  const watch: LoopWatch = { turns, seconds, log };
  new Worker(new URL('./thread.ts', import.meta.url), { env: {}, workerData: watch }).unref();
}
