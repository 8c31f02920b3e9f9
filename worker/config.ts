import { availableParallelism } from 'node:os';
import { z } from 'zod';

/** How much one worker process takes on at a time, by class of work. */
export const workerConfig = z.object({
  WORKER_HEALTH_PORT: z.coerce.number().int().min(0).max(65535).default(9464),
  WORKER_HOST: z.string().default('127.0.0.1'),
  /** What `npm run build:workflows` made. Without one, a worker bundles the workflows itself. */
  WORKFLOW_BUNDLE: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Storage, database and network calls wait more than they work. */
  IO_SLOTS: z.coerce.number().int().min(1).default(50),
  /** A decoder keeps one core busy. */
  CPU_SLOTS: z.coerce.number().int().min(1).default(availableParallelism()),
  VISION_SLOTS: z.coerce.number().int().min(1).default(20),
  /** A decision goes to the worker that has the workflow in memory; after so long without it, to any worker. */
  STICKY_SECONDS: z.coerce.number().min(0.1).default(10),
  /** How often the sweep looks for what did not reach the engine, and how long it leaves that to its request. */
  SWEEP_SECONDS: z.coerce.number().int().min(1).default(30),
});
export type WorkerConfig = z.output<typeof workerConfig>;
