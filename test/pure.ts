import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Runs the tests that need no server in one process, since a process for each file would spend most of its time loading
 * the same modules.
 */
const ROOT = join(import.meta.dirname, '..');
const files = globSync(['test/unit/**/*.test.ts', 'test/replay/*.test.ts'], { cwd: ROOT });
for (const path of files.toSorted()) await import(pathToFileURL(join(ROOT, path)).href);
