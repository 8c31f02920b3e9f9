import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '..');

/**
 * Runs test files in this process, since a process for each would spend most of its time loading the same modules.
 *
 * @param exclude paths that match `patterns` and are left out
 */
export async function importTests(patterns: string[], exclude: string[] = []): Promise<void> {
  const left = new Set(globSync(exclude, { cwd: ROOT }));
  const files = globSync(patterns, { cwd: ROOT }).filter((path) => !left.has(path));
  for (const path of files.toSorted()) await import(pathToFileURL(join(ROOT, path)).href);
}
