/** The registry that the bundler reads: a workflow's type is its name here. */
export { digitizeDocument } from './digitize-document/digitize-document.ts';
export { extractData } from './extract-data/extract-data.ts';
export { extractSchema } from './extract-data/extract-schema.ts';
export { directUpload } from './direct-upload/direct-upload.ts';
export { exportData } from './export-data/export-data.ts';
export { importImage } from './import-image/import-image.ts';
export { batchSession } from './batch-session/batch-session.ts';
export { processFile } from './process-file/process-file.ts';
export { purgeFiles } from './purge-files/purge-files.ts';
export { rebuildImageIndex } from './rebuild-image-index/rebuild-image-index.ts';
export { rebuildChunkIndex } from './rebuild-chunk-index/rebuild-chunk-index.ts';
export { syncChunkIndex } from './sync-chunk-index/sync-chunk-index.ts';
export { syncImageIndex } from './sync-image-index/sync-image-index.ts';
export { sweepDue } from './sweep-due/sweep-due.ts';
export { sweepQuiet } from './sweep-quiet/sweep-quiet.ts';
export { sendAccountMail } from './send-account-mail/send-account-mail.ts';
export { keepUsage } from './keep-usage/keep-usage.ts';
