import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The tests that need no server, in one process: most of the time of a process for each file would go into loading the
 * same modules.
 */
const ROOT = join(import.meta.dirname, '..');
const files = globSync(['test/unit/**/*.test.ts', 'test/replay/*.test.ts'], { cwd: ROOT });
for (const path of files.toSorted()) await import(pathToFileURL(join(ROOT, path)).href);
