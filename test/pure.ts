import { importTests } from './import-tests.ts';

/** Runs the tests that need no server. The rules of the source are a static check: `test/source.ts`. */
await importTests(['test/unit/**/*.test.ts', 'test/replay/*.test.ts'], ['test/unit/project/*.test.ts']);
