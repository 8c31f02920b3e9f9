import type { createAccountMailActivities } from './account-mail-activities.ts';
import type { createAnswerActivities, createAnswerModelActivities } from './answer-activities.ts';
import type { createDirectUploadActivities } from './direct-upload-activities.ts';
import type {
  createDocumentActivities,
  createDocumentModelActivities,
  createPageRecognitionActivities,
  createPageRecordActivities,
} from './document-activities.ts';
import type { createExportActivities, createExportWriting } from './export-activities.ts';
import type { createImageImportActivities, createWebActivities } from './image-import-activities.ts';
import type { createImageActivities } from './image-activities.ts';
import type { createRecoveryActivities } from './recovery-activities.ts';
import type { createLinkActivities } from './link-activities.ts';
import type { createOcrActivities } from './ocr-activities.ts';
import type { createPurgeActivities } from './purge-activities.ts';
import type { createProcessingActivities } from './processing-activities.ts';
import type { createUsageActivities } from './usage-activities.ts';
import type { createUploadSessionActivities } from './upload-session-activities.ts';
import type { createIndexActivities } from './index-activities.ts';
import type {
  createExtractionActivities,
  createExtractionFetchActivities,
  createExtractionModelActivities,
  createExtractionImageActivities,
  createExtractionResultActivities,
  createExtractionTextActivities,
} from './extraction-activities.ts';
import type { createVideoActivities } from './video-activities.ts';
import type { createVisionActivities } from './vision-activities.ts';
import type { createWebhookActivities } from './webhook-activities.ts';

/** Every activity by name, for the proxies in the workflows; each worker registers those of its queues. */
export type Activities = ReturnType<typeof createProcessingActivities> &
  ReturnType<typeof createImageActivities> &
  ReturnType<typeof createOcrActivities> &
  ReturnType<typeof createDocumentActivities> &
  ReturnType<typeof createDocumentModelActivities> &
  ReturnType<typeof createPageRecognitionActivities> &
  ReturnType<typeof createPageRecordActivities> &
  ReturnType<typeof createUploadSessionActivities> &
  ReturnType<typeof createVideoActivities> &
  ReturnType<typeof createVisionActivities> &
  ReturnType<typeof createIndexActivities> &
  ReturnType<typeof createExtractionActivities> &
  ReturnType<typeof createExtractionFetchActivities> &
  ReturnType<typeof createExtractionImageActivities> &
  ReturnType<typeof createExtractionResultActivities> &
  ReturnType<typeof createExtractionTextActivities> &
  ReturnType<typeof createExtractionModelActivities> &
  ReturnType<typeof createAnswerActivities> &
  ReturnType<typeof createAnswerModelActivities> &
  ReturnType<typeof createRecoveryActivities> &
  ReturnType<typeof createPurgeActivities> &
  ReturnType<typeof createDirectUploadActivities> &
  ReturnType<typeof createAccountMailActivities> &
  ReturnType<typeof createUsageActivities> &
  ReturnType<typeof createExportWriting> &
  ReturnType<typeof createExportActivities> &
  ReturnType<typeof createWebActivities> &
  ReturnType<typeof createImageImportActivities> &
  ReturnType<typeof createLinkActivities> &
  ReturnType<typeof createWebhookActivities>;
