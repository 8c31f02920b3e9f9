import { activitiesOf, modelActivitiesOf } from '../activities/index.ts';
import { keptSlots, withKeptSlots } from '../domain/kept-slots.ts';
import { QUEUES, visionQueue } from '../temporal/contract/queues.ts';
import type { WorkerOptions } from '@temporalio/worker';
import type { WorkerConfig } from './config.ts';
import type { WorkerDeps } from './deps.ts';

/** Values of `--queues`. `vision` stands for the queues of all providers configured for the worker. */
export const QUEUE_NAMES = [
  'workflows',
  'io',
  'cpu',
  'documents',
  'video',
  'ocr',
  'index',
  'web',
  'imports',
  'webhooks',
  'vision',
] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

type QueueOptions = Pick<
  WorkerOptions,
  | 'taskQueue'
  | 'activities'
  | 'maxConcurrentActivityTaskExecutions'
  | 'maxConcurrentLocalActivityExecutions'
  | 'maxTaskQueueActivitiesPerSecond'
>;

/**
 * Concurrent activities of one tenant on the `cpu` queue. More than there are decoders, which bound the decoding: the
 * others detect text, store variants, and combine their writes to the vector index.
 */
export function cpuSlots({ CPU_SLOTS }: WorkerConfig): number {
  return CPU_SLOTS * 4;
}

/** Concurrent activities of the `ocr` queue: one more per recogniser, so that none is idle between two images. */
const ocrActivities = (recognisers: number): number => recognisers * 2;

/**
 * How many slots of a queue no tenant gets alone. Of `video`, half: a scan gives its decoder only to a tenant whose
 * activity is already here. Of `documents`, half: with a single one, the steps of another tenant's documents that need no
 * reader would wait for those that read.
 */
export function keptOn(name: QueueName, slots: number): number {
  return name === 'video' || name === 'documents' ? Math.ceil(slots / 2) : keptSlots(slots);
}

/** Activities and concurrency for the workers of the queues with this name; the caller adds the workflows. */
export function queueOptions(name: QueueName, deps: WorkerDeps, config: WorkerConfig): QueueOptions[] {
  return name === 'vision'
    ? deps.models.all.map(({ provider }) => visionOptions(provider, deps, config))
    : [optionsOf(name, deps, config)];
}

function optionsOf(name: Exclude<QueueName, 'vision'>, deps: WorkerDeps, config: WorkerConfig): QueueOptions {
  return { taskQueue: QUEUES[name], activities: activitiesOf(name, deps), ...limitsOf(name, deps, config) };
}

function limitsOf(
  name: Exclude<QueueName, 'vision'>,
  deps: WorkerDeps,
  config: WorkerConfig,
): Omit<QueueOptions, 'taskQueue' | 'activities'> {
  switch (name) {
    case 'workflows':
      return { maxConcurrentLocalActivityExecutions: config.IO_SLOTS };
    case 'io':
      // Two slots are always taken by the searches of the sweep.
      return { maxConcurrentActivityTaskExecutions: config.IO_SLOTS + 2 };
    case 'cpu':
      return { maxConcurrentActivityTaskExecutions: withKeptSlots(cpuSlots(config)) };
    case 'documents':
      // Of one tenant, twice as many and more than it gets readers, so that none is idle while pages are stored.
      return { maxConcurrentActivityTaskExecutions: 4 * (config.CPU_SLOTS + 1) };
    case 'video':
      // More than there are decoders: a scan ends its turn for another tenant that waits here for a decoder.
      return { maxConcurrentActivityTaskExecutions: 2 * withKeptSlots(config.VIDEO_SLOTS) };
    case 'ocr':
      return { maxConcurrentActivityTaskExecutions: ocrActivities(deps.ocrSlots) };
    case 'index':
      return { maxConcurrentActivityTaskExecutions: deps.indexSlots };
    case 'web':
      return { maxConcurrentActivityTaskExecutions: config.WEB_SLOTS };
    case 'imports':
      return { maxConcurrentActivityTaskExecutions: config.IMPORT_SLOTS };
    case 'webhooks':
      return { maxConcurrentActivityTaskExecutions: config.WEBHOOK_SLOTS };
  }
}

function visionOptions(provider: string, deps: WorkerDeps, config: WorkerConfig): QueueOptions {
  const rate = deps.visionRates[provider];
  return {
    taskQueue: visionQueue(provider),
    activities: modelActivitiesOf(provider, deps),
    maxConcurrentActivityTaskExecutions: config.VISION_SLOTS,
    ...(rate !== undefined && { maxTaskQueueActivitiesPerSecond: rate }),
  };
}
