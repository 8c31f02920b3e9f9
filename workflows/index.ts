/** The registry that the bundler reads: a workflow's type is its name here. */
export { answerQuestion } from './answer-question.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { digitizeDocument } from './digitize-document.ts';
export { directUpload } from './direct-upload.ts';
export { drawPage } from './draw-page.ts';
export { exportData } from './export-data.ts';
export { extractBySchema, extractData } from './extract-by-schema.ts';
export { importFiles } from './import-files.ts';
export { importImage } from './import-image.ts';
export { processFile } from './process-file/process-file.ts';
export { purgeFiles } from './purge-files.ts';
export { rebuildIndex } from './rebuild-index.ts';
export { reprocessFiles, rollBackReprocessing } from './reprocess-files.ts';
export { retryWebhook } from './retry-webhook.ts';
export { dispatchPending, maintainUsageTables, reconcileStale } from './schedules.ts';
export { sendAccountMail } from './send-account-mail.ts';
export { syncIndex } from './sync-index.ts';
export { uploadSession } from './upload-session/upload-session.ts';
