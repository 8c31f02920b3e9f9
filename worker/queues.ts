import { keptSlots, withKeptSlots } from '../domain/kept-slots.ts';
import { createAccountMailActivities } from '../activities/account-mail-activities.ts';
import { createAnswerActivities, createAnswerModelActivities } from '../activities/answer-activities.ts';
import {
  createDocumentActivities,
  createDocumentModelActivities,
  createPageRecognitionActivities,
  createPageRecordActivities,
} from '../activities/document-activities.ts';
import { createDirectUploadActivities } from '../activities/direct-upload-activities.ts';
import { QUEUES, visionQueue } from '../temporal/contract/queues.ts';
import { createExportActivities, createExportWriting } from '../activities/export-activities.ts';
import { createImageImportActivities, createWebActivities } from '../activities/image-import-activities.ts';
import { createImageActivities } from '../activities/image-activities.ts';
import { createRecoveryActivities } from '../activities/recovery-activities.ts';
import { createLinkActivities } from '../activities/link-activities.ts';
import { createOcrActivities } from '../activities/ocr-activities.ts';
import { createPurgeActivities } from '../activities/purge-activities.ts';
import { createProcessingActivities } from '../activities/processing-activities.ts';
import { createUsageActivities } from '../activities/usage-activities.ts';
import { createUploadSessionActivities } from '../activities/upload-session-activities.ts';
import { createIndexActivities } from '../activities/index-activities.ts';
import {
  createExtractionActivities,
  createExtractionFetchActivities,
  createExtractionModelActivities,
  createExtractionImageActivities,
  createExtractionResultActivities,
  createExtractionTextActivities,
} from '../activities/extraction-activities.ts';
import { createVideoActivities } from '../activities/video-activities.ts';
import { createVisionActivities } from '../activities/vision-activities.ts';
import { createWebhookActivities } from '../activities/webhook-activities.ts';
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
  switch (name) {
    case 'workflows':
      return {
        taskQueue: QUEUES.workflows,
        activities: {
          ...createProcessingActivities(deps),
          ...createUploadSessionActivities(deps),
          ...createPageRecordActivities(deps),
        },
        maxConcurrentLocalActivityExecutions: config.IO_SLOTS,
      };
    case 'io':
      return {
        taskQueue: QUEUES.io,
        activities: {
          ...createProcessingActivities(deps),
          ...createRecoveryActivities(deps),
          ...createDirectUploadActivities(deps),
          ...createUploadSessionActivities(deps),
          ...createPurgeActivities(deps),
          ...createPageRecordActivities(deps),
          ...createAccountMailActivities(deps),
          ...createUsageActivities(deps),
          ...createExtractionActivities(deps),
          ...createAnswerActivities(deps),
          ...createExportWriting(deps),
          ...createExportActivities(deps),
          ...createImageImportActivities(deps),
        },
        // Two slots are always taken by the searches of the sweep.
        maxConcurrentActivityTaskExecutions: config.IO_SLOTS + 2,
      };
    case 'cpu':
      return {
        taskQueue: QUEUES.cpu,
        activities: {
          ...createImageActivities({ ...deps, vision: deps.models.local }),
          // Scheduled here by version 0.1, which had no queue for them.
          ...createDocumentActivities(deps),
          ...createExtractionImageActivities(deps),
          ...createExtractionResultActivities(deps),
          ...createExportWriting(deps),
        },
        maxConcurrentActivityTaskExecutions: withKeptSlots(cpuSlots(config)),
      };
    case 'documents':
      return {
        taskQueue: QUEUES.documents,
        activities: createDocumentActivities(deps),
        // Of one tenant, twice as many and more than it gets readers, so that none is idle while pages are stored.
        maxConcurrentActivityTaskExecutions: 4 * (config.CPU_SLOTS + 1),
      };
    case 'video':
      return {
        taskQueue: QUEUES.video,
        activities: createVideoActivities(deps),
        // More than there are decoders: a scan ends its turn for another tenant that waits here for a decoder.
        maxConcurrentActivityTaskExecutions: 2 * withKeptSlots(config.VIDEO_SLOTS),
      };
    case 'ocr':
      return {
        taskQueue: QUEUES.ocr,
        activities: {
          ...createOcrActivities(deps),
          ...createPageRecognitionActivities(deps),
          ...createExtractionTextActivities(deps),
        },
        maxConcurrentActivityTaskExecutions: ocrActivities(deps.ocrSlots),
      };
    case 'index':
      return {
        taskQueue: QUEUES.index,
        activities: createIndexActivities(deps),
        maxConcurrentActivityTaskExecutions: deps.indexSlots,
      };
    case 'web':
      return {
        taskQueue: QUEUES.web,
        activities: {
          ...createWebActivities(deps),
          ...createExtractionFetchActivities(deps),
          ...createLinkActivities(deps),
        },
        maxConcurrentActivityTaskExecutions: config.WEB_SLOTS,
      };
    case 'webhooks':
      return {
        taskQueue: QUEUES.webhooks,
        activities: createWebhookActivities(deps),
        maxConcurrentActivityTaskExecutions: config.WEBHOOK_SLOTS,
      };
  }
}

function visionOptions(provider: string, deps: WorkerDeps, config: WorkerConfig): QueueOptions {
  const rate = deps.visionRates[provider];
  return {
    taskQueue: visionQueue(provider),
    activities: {
      ...createVisionActivities(deps, provider),
      ...createDocumentModelActivities(deps, provider),
      ...createExtractionModelActivities(deps, provider),
      ...createAnswerModelActivities(deps, provider),
    },
    maxConcurrentActivityTaskExecutions: config.VISION_SLOTS,
    ...(rate !== undefined && { maxTaskQueueActivitiesPerSecond: rate }),
  };
}
