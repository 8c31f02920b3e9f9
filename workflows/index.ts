/** The registry that the bundler reads: a workflow's type is its name here. */
export { digitizeDocument } from './digitize-document/digitize-document.ts';
export { extractData } from './extract-data/extract-data.ts';
export { extractBySchema } from './extract-data/extract-by-schema.ts';
export { directUpload } from './direct-upload/direct-upload.ts';
export { exportData } from './export-data/export-data.ts';
export { importImage } from './import-image/import-image.ts';
export { uploadSession } from './upload-session/upload-session.ts';
export { processFile } from './process-file/process-file.ts';
export { purgeFiles } from './purge-files/purge-files.ts';
export { dispatchPending } from './recovery/dispatch-pending.ts';
export { reconcileStale } from './recovery/reconcile-stale.ts';
export { sendAccountMail } from './send-account-mail/send-account-mail.ts';
export { maintainUsageTables } from './usage/maintain-usage-tables.ts';
export { rebuildIndex } from './indexes/rebuild-index.ts';
export { syncIndex } from './indexes/sync-index.ts';
