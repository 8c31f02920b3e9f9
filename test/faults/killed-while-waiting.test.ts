// Processes killed, and runs ended by an operator, while work waits for a model, a site or a retry; see
// killed-workers.test.ts.
await import('./killed-processes/overdue.ts');
await import('./killed-processes/ended-runs.ts');
await import('./killed-processes/image-imports.ts');
await import('./killed-processes/links.ts');
await import('./killed-processes/waiting-files.ts');
await import('./killed-processes/extractions.ts');
await import('./killed-processes/structured-extractions.ts');
await import('./killed-processes/answers.ts');
await import('./killed-processes/afterwards.ts');
