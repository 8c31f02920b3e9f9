// One stack for all, since each start costs ten seconds; each test has files of its own, and each of these files runs alone.
// One after the other: imports that await would be evaluated together, and their tests would mix.
await import('./killed-processes/direct-uploads.ts');
await import('./killed-processes/workers.ts');
await import('./killed-processes/ended-runs.ts');
await import('./killed-processes/uploads.ts');
await import('./killed-processes/batches.ts');
await import('./killed-processes/paused-batches.ts');
await import('./killed-processes/waiting-files.ts');
await import('./killed-processes/ingest.ts');
await import('./killed-processes/afterwards.ts');
