import { join } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';

/**
 * Runs the test files of its arguments one after the other in this process, each as a suite of its name, so that its
 * hooks apply to its tests only.
 */
const ROOT = join(import.meta.dirname, '..');
for (const path of process.argv.slice(2)) {
  suite(path, async () => {
    await import(pathToFileURL(join(ROOT, path)).href);
  });
}
