// Processes killed while files are uploaded, exported, moved, extracted from, asked about or processed again. All modules
// share one stack, as starting one takes ten seconds; each test has its own files, and each module can run alone.
// Imported in sequence: static imports with top-level await would be evaluated concurrently and interleave their tests.
await import('./killed-processes/direct-uploads.ts');
await import('./killed-processes/uploads.ts');
await import('./killed-processes/batches.ts');
await import('./killed-processes/paused-batches.ts');
await import('./killed-processes/folders.ts');
await import('./killed-processes/exports.ts');
await import('./killed-processes/ingest.ts');
await import('./killed-processes/extractions.ts');
await import('./killed-processes/structured-extractions.ts');
await import('./killed-processes/answers.ts');
await import('./killed-processes/lost-events.ts');
await import('./killed-processes/reprocessing.ts');
await import('./killed-processes/alerts.ts');
await import('./killed-processes/afterwards.ts');
