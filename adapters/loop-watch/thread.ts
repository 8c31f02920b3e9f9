/** The thread that watches the event loop of its process, see watch-loop.ts. */
import { workerData } from 'node:worker_threads';
import { createLog } from '../log/create-log.ts';
import type { LoopWatch } from './watch-loop.ts';

const { turns, seconds, log } = workerData as LoopWatch;
let seen = Atomics.load(turns, 0);
let still = 0;

// Counts seconds in which this thread ran: in a suspended process, neither thread runs.
setInterval(() => {
  const now = Atomics.load(turns, 0);
  still = now === seen ? still + 1 : 0;
  seen = now;
  if (still < seconds) return;
  createLog(log).fatal(
    `the event loop has stood still for ${seconds} seconds; this process ends to be replaced`,
  );
  process.kill(process.pid, 'SIGKILL');
}, 1000);
