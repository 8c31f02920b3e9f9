/** The registry that the bundler reads: a workflow's type is its name here. */
export { batchSession } from './batch-session/batch-session.ts';
export { processFile } from './process-file/process-file.ts';
export { rebuildImageIndex } from './rebuild-image-index/rebuild-image-index.ts';
export { sweepOrphans } from './sweep-orphans/sweep-orphans.ts';
