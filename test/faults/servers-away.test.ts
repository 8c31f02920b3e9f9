// One stack for all, since each start costs ten seconds; each test has files of its own, and each of these files runs alone.
// One after the other: imports that await would be evaluated together, and their tests would mix.
await import('./servers-away/engine.ts');
await import('./servers-away/direct-uploads.ts');
await import('./servers-away/stores.ts');
await import('./servers-away/index-emptied.ts');
await import('./servers-away/afterwards.ts');
