import type { createAccountMailActivities } from './accounts/account-mail-activities.ts';
import type { createDirectUploadActivities } from './direct-uploads/direct-upload-activities.ts';
import type {
  createDocumentActivities,
  createDocumentModelActivities,
  createPageRecognitionActivities,
  createPageRecordActivities,
} from './documents/document-activities.ts';
import type { createExportActivities, createExportWriting } from './exports/export-activities.ts';
import type {
  createImageImportActivities,
  createWebActivities,
} from './image-imports/image-import-activities.ts';
import type { createImageActivities } from './images/image-activities.ts';
import type { createRecoveryActivities } from './recovery/recovery-activities.ts';
import type { createOcrActivities } from './ocr/ocr-activities.ts';
import type { createPurgeActivities } from './trash/purge-activities.ts';
import type { createProcessingActivities } from './processing/processing-activities.ts';
import type { createUsageActivities } from './usage/usage-activities.ts';
import type { createUploadSessionActivities } from './upload-sessions/upload-session-activities.ts';
import type { createIndexActivities } from './indexes/index-activities.ts';
import type {
  createExtractionActivities,
  createExtractionFetchActivities,
  createExtractionModelActivities,
  createExtractionPictureActivities,
  createExtractionResultActivities,
  createExtractionTextActivities,
} from './structured-extraction/extraction-activities.ts';
import type { createVisionActivities } from './vision/vision-activities.ts';

/** Every activity by name, for the proxies of the workflows; each worker composes those of its queues. */
export type Activities = ReturnType<typeof createProcessingActivities> &
  ReturnType<typeof createImageActivities> &
  ReturnType<typeof createOcrActivities> &
  ReturnType<typeof createDocumentActivities> &
  ReturnType<typeof createDocumentModelActivities> &
  ReturnType<typeof createPageRecognitionActivities> &
  ReturnType<typeof createPageRecordActivities> &
  ReturnType<typeof createUploadSessionActivities> &
  ReturnType<typeof createVisionActivities> &
  ReturnType<typeof createIndexActivities> &
  ReturnType<typeof createExtractionActivities> &
  ReturnType<typeof createExtractionFetchActivities> &
  ReturnType<typeof createExtractionPictureActivities> &
  ReturnType<typeof createExtractionResultActivities> &
  ReturnType<typeof createExtractionTextActivities> &
  ReturnType<typeof createExtractionModelActivities> &
  ReturnType<typeof createRecoveryActivities> &
  ReturnType<typeof createPurgeActivities> &
  ReturnType<typeof createDirectUploadActivities> &
  ReturnType<typeof createAccountMailActivities> &
  ReturnType<typeof createUsageActivities> &
  ReturnType<typeof createExportWriting> &
  ReturnType<typeof createExportActivities> &
  ReturnType<typeof createWebActivities> &
  ReturnType<typeof createImageImportActivities>;
