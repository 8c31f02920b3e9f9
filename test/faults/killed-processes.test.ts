// One stack for all, since a start takes ten seconds; each test has its own files, and each of these modules can run
// alone. Imported in sequence: static imports with top-level await would be evaluated concurrently, and their tests
// would mix.
await import('./killed-processes/direct-uploads.ts');
await import('./killed-processes/workers.ts');
await import('./killed-processes/documents.ts');
await import('./killed-processes/page-layouts.ts');
await import('./killed-processes/ended-runs.ts');
await import('./killed-processes/image-imports.ts');
await import('./killed-processes/uploads.ts');
await import('./killed-processes/batches.ts');
await import('./killed-processes/paused-batches.ts');
await import('./killed-processes/waiting-files.ts');
await import('./killed-processes/extractions.ts');
await import('./killed-processes/structured-extractions.ts');
await import('./killed-processes/folders.ts');
await import('./killed-processes/exports.ts');
await import('./killed-processes/ingest.ts');
await import('./killed-processes/afterwards.ts');
