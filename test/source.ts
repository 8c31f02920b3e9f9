import { importTests } from './import-tests.ts';

/** Runs the rules of the source: layout, imports, expressions, settings, pages. Nothing is started. */
await importTests(['test/unit/project/*.test.ts']);
