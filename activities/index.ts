import { createAccountMailActivities } from './account-mail-activities.ts';
import { createAnswerActivities, createAnswerModelActivities } from './answer-activities.ts';
import { createDirectUploadActivities } from './direct-upload-activities.ts';
import {
  createDocumentActivities,
  createDocumentModelActivities,
  createPageRecognitionActivities,
  createPageRecordActivities,
} from './document-activities.ts';
import { createExportActivities, createExportWriting } from './export-activities.ts';
import { createImageImportActivities, createWebActivities } from './image-import-activities.ts';
import { createImportActivities, createImportRecordActivities } from './import-activities.ts';
import { createImageActivities, createImageTextActivities, type ImageDeps } from './image-activities.ts';
import { createRecoveryActivities } from './recovery-activities.ts';
import { createLinkActivities } from './link-activities.ts';
import { createPurgeActivities } from './purge-activities.ts';
import { createProcessingActivities } from './processing-activities.ts';
import { createReprocessingActivities } from './reprocessing-activities.ts';
import { createSplitActivities, createSplitRecordActivities } from './split-activities.ts';
import { createUsageActivities } from './usage-activities.ts';
import { createUploadSessionActivities } from './upload-session-activities.ts';
import { createIndexActivities } from './index-activities.ts';
import {
  createExtractionActivities,
  createExtractionFetchActivities,
  createExtractionModelActivities,
  createExtractionImageActivities,
  createExtractionResultActivities,
  createExtractionTextActivities,
} from './extraction-activities.ts';
import { createFrameTextActivities, createVideoActivities } from './video-activities.ts';
import { createVisionActivities } from './vision-activities.ts';
import { createWebhookActivities } from './webhook-activities.ts';

/** The activities of each queue: the factories of those that its workers register. */
const BY_QUEUE = {
  workflows: [createProcessingActivities, createUploadSessionActivities, createPageRecordActivities],
  io: [
    createProcessingActivities,
    createRecoveryActivities,
    createDirectUploadActivities,
    createUploadSessionActivities,
    createPurgeActivities,
    createPageRecordActivities,
    createAccountMailActivities,
    createUsageActivities,
    createExtractionActivities,
    createAnswerActivities,
    createExportWriting,
    createExportActivities,
    createReprocessingActivities,
    createImageImportActivities,
    createImportRecordActivities,
    createSplitRecordActivities,
  ],
  cpu: [
    (deps: Omit<ImageDeps, 'vision'> & { models: { local: ImageDeps['vision'] } }) =>
      createImageActivities({ ...deps, vision: deps.models.local }),
    // Scheduled here by version 0.1, which had no queue for them.
    createDocumentActivities,
    createExtractionImageActivities,
    createExtractionResultActivities,
    createExportWriting,
  ],
  documents: [createDocumentActivities, createSplitActivities],
  video: [createVideoActivities],
  ocr: [
    createImageTextActivities,
    createFrameTextActivities,
    createPageRecognitionActivities,
    createExtractionTextActivities,
  ],
  index: [createIndexActivities],
  web: [createWebActivities, createExtractionFetchActivities, createLinkActivities],
  imports: [createImportActivities],
  webhooks: [createWebhookActivities],
} as const;
/** Those of the queue of a model provider. */
const OF_PROVIDER = [
  createVisionActivities,
  createDocumentModelActivities,
  createExtractionModelActivities,
  createAnswerModelActivities,
] as const;

export type ActivityQueue = keyof typeof BY_QUEUE;
type Factory = (typeof BY_QUEUE)[ActivityQueue][number] | (typeof OF_PROVIDER)[number];
type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never;

/** Every activity by name, for the proxies in the workflows. */
export type Activities = Intersection<ReturnType<Factory>>;
/** What all activities need. */
export type ActivityDeps = Intersection<Parameters<Factory>[0]>;

/** The activities that a worker of a queue registers. */
export function activitiesOf(queue: ActivityQueue, deps: ActivityDeps): object {
  return Object.assign({}, ...BY_QUEUE[queue].map((create) => create(deps)));
}

/** The same for the queue of a model provider. */
export function modelActivitiesOf(provider: string, deps: ActivityDeps): object {
  return Object.assign({}, ...OF_PROVIDER.map((create) => create(deps, provider)));
}
