// Processes killed while files are processed, on a stack of its own; see killed-requests.test.ts. The modules
// are divided between these two files, which start first and take equally long: a single file with all of them
// would end after all other tests, and exceed the time limit of a process on a slow machine.
await import('./killed-processes/overdue.ts');
await import('./killed-processes/workers.ts');
await import('./killed-processes/hostile-neighbours.ts');
await import('./killed-processes/documents.ts');
await import('./killed-processes/page-layouts.ts');
await import('./killed-processes/videos.ts');
await import('./killed-processes/ended-runs.ts');
await import('./killed-processes/image-imports.ts');
await import('./killed-processes/imports.ts');
await import('./killed-processes/links.ts');
await import('./killed-processes/waiting-files.ts');
await import('./killed-processes/console.ts');
await import('./killed-processes/afterwards.ts');
