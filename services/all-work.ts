import { answerWork } from './ask/answer-work.ts';
import { exportWork } from './exports/export-work.ts';
import { importTarget } from './imports/reconcile-import.ts';
import { imageImportWork } from './image-imports/image-import-work.ts';
import { fileTarget } from './processing/reconcile-file.ts';
import { reprocessingWork, rollbackWork } from './reprocessing/reprocessing-work.ts';
import { splitWork } from './splits/split-work.ts';
import type { ReconcileTarget } from './shared/define-work.ts';
import { extractionWork } from './structured-extraction/extraction-work.ts';
import { uploadSessionTarget } from './upload-sessions/reconcile-upload-session.ts';
import { directUploadTarget } from './direct-uploads/reconcile-direct-upload.ts';
import { webhookDeliveryTarget } from './webhooks/reconcile-delivery.ts';

/** Every kind of durable work. Sessions before files, since an open session starts its own files. */
export const ALL_WORK: readonly ReconcileTarget[] = [
  uploadSessionTarget,
  directUploadTarget,
  imageImportWork.target,
  fileTarget,
  exportWork.target,
  importTarget,
  reprocessingWork.target,
  rollbackWork.target,
  extractionWork.target,
  splitWork.target,
  answerWork.target,
  webhookDeliveryTarget,
];
