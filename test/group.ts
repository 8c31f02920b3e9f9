import { join } from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';

/**
 * Runs the test files of its arguments one after the other in this process, each as a suite of its name, so that its
 * hooks apply to its tests only.
 */
const ROOT = join(import.meta.dirname, '..');
for (const path of process.argv.slice(2)) {
  // A file is imported only when the tests of the former have ended, as it may begin its work in its body.
  const ended = Promise.withResolvers<void>();
  suite(path, async () => {
    after(() => ended.resolve());
    await import(pathToFileURL(join(ROOT, path)).href).catch((error: unknown) => {
      ended.resolve();
      throw error;
    });
  });
  await ended.promise;
}
