// What is killed while files arrive, leave, or move. One stack for all, since a start takes ten seconds; each test has its
// own files, and each of these modules can run alone. Imported in sequence: static imports with top-level await would be
// evaluated concurrently, and their tests would mix.
await import('./killed-processes/direct-uploads.ts');
await import('./killed-processes/uploads.ts');
await import('./killed-processes/batches.ts');
await import('./killed-processes/paused-batches.ts');
await import('./killed-processes/folders.ts');
await import('./killed-processes/exports.ts');
await import('./killed-processes/ingest.ts');
await import('./killed-processes/afterwards.ts');
