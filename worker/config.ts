import { availableParallelism, totalmem } from 'node:os';
import { z } from 'zod';
import { withKeptSlots } from '../domain/kept-slots.ts';

/** A decoder may take 2 GB (see engines/video-reader/run-ffmpeg.ts), plus memory for the worker itself. */
const BYTES_OF_VIDEO = 3 * 2 ** 30;
const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);

/** Concurrency of one worker process, by class of work. */
export const workerConfig = z.object({
  WORKER_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address of the health and metrics endpoints of a worker'),
  WORKER_HEALTH_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(9464)
    .describe('port of the health and metrics endpoints of a worker'),
  WORKFLOW_BUNDLE: z
    .string()
    .optional()
    .describe(
      'file written by `npm run build:workflows`; without it, a worker bundles the workflows at startup',
    ),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  CONTAINMENT: z
    .enum(['auto', 'required'])
    .default('auto')
    .describe(
      'containment of the processes that read files of tenants: `auto` as far as the system can, `required` starts no worker where it cannot in full',
    ),
  // Storage, database and network calls mostly wait.
  IO_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(50)
    .describe('concurrent storage and database activities of one worker process'),
  // A decoder keeps one core busy.
  CPU_SLOTS: z.coerce.number().int().min(1).default(availableParallelism()).meta({
    description: 'concurrent image decoders, and document readers, of one account in one worker process',
    shownDefault: 'one per core',
  }),
  // A decoder uses two cores.
  VIDEO_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(Math.max(1, Math.floor(Math.min(availableParallelism() / 2, memory / BYTES_OF_VIDEO))))
    .meta({
      description: 'concurrent video decoders of one account in one worker process',
      shownDefault: 'one per two cores and 3 GB of memory',
    }),
  VISION_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .describe('concurrent model calls of one worker process, of which one account gets three in four'),
  WEB_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .describe(
      'concurrent fetches of pages and images by URL of one worker process, of which one account gets three in four, each of up to 60 MB of memory',
    ),
  WEBHOOK_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(100)
    .describe(
      'concurrent first webhook attempts of one account in one worker process, and as many retries of all',
    ),
  // Each fetches several files at a time, with buffers of up to 10 MB.
  IMPORT_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(8)
    .describe(
      'concurrent imports of one worker process, of which one account gets three in four, each of up to 160 MB of memory',
    ),
  // A workflow task goes to the worker that has the workflow cached; after this timeout, to any worker.
  STICKY_SECONDS: z.coerce
    .number()
    .min(0.1)
    .default(10)
    .describe('how long a workflow waits for the worker that has it cached'),
  SWEEP_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(30)
    .describe(
      'interval of the search for rows that have not reached the engine, and grace period of a new row',
    ),
});
export type WorkerConfig = z.output<typeof workerConfig>;

/** Decoders of videos: those of one tenant, and the kept ones for which there is memory. */
export function videoDecoders({ VIDEO_SLOTS }: Pick<WorkerConfig, 'VIDEO_SLOTS'>): number {
  const inMemory = Math.floor(memory / BYTES_OF_VIDEO);
  return Math.max(VIDEO_SLOTS, Math.min(withKeptSlots(VIDEO_SLOTS), inMemory));
}
