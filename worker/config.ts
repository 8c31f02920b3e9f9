import { availableParallelism } from 'node:os';
import { z } from 'zod';

/** Concurrency of one worker process, by class of work. */
export const workerConfig = z.object({
  WORKER_HEALTH_PORT: z.coerce.number().int().min(0).max(65535).default(9464),
  WORKER_HOST: z.string().default('127.0.0.1'),
  /** Output of `npm run build:workflows`. Without it, a worker bundles the workflows itself. */
  WORKFLOW_BUNDLE: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Storage, database and network calls mostly wait. */
  IO_SLOTS: z.coerce.number().int().min(1).default(50),
  /** A decoder keeps one core busy. */
  CPU_SLOTS: z.coerce.number().int().min(1).default(availableParallelism()),
  VISION_SLOTS: z.coerce.number().int().min(1).default(20),
  /** Each may hold 10 MB of what it fetches. */
  WEB_SLOTS: z.coerce.number().int().min(1).default(20),
  /** A workflow task goes to the worker that has the workflow cached; after this timeout, to any worker. */
  STICKY_SECONDS: z.coerce.number().min(0.1).default(10),
  /** Interval of the search for due rows, and grace period of a new row for the request that wrote it. */
  SWEEP_SECONDS: z.coerce.number().int().min(1).default(30),
});
export type WorkerConfig = z.output<typeof workerConfig>;
