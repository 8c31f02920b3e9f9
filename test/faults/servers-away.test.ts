// All modules share one stack, as starting one takes ten seconds; each test has its own files, and each
// module can run alone. Imported in sequence: static imports with top-level await would be evaluated
// concurrently and interleave their tests.
await import('./servers-away/traces.ts');
await import('./servers-away/engine.ts');
await import('./servers-away/direct-uploads.ts');
await import('./servers-away/stores.ts');
await import('./servers-away/index-emptied.ts');
await import('./servers-away/afterwards.ts');
