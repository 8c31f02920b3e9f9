import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';

const run = promisify(execFile);

/**
 * Downloads Debian packages and unpacks them in the project's cache, without installing them.
 *
 * @returns the folder, which is the root of their files
 * @throws Error if apt or a package is not available
 */
export async function unpackDebian(name: string, packages: readonly string[]): Promise<string> {
  const cache = join(PROJECT_ROOT, '.cache', 'debian');
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, `${name}.`));
  try {
    await run('apt-get', ['download', ...packages], { cwd: draft });
    for (const file of await readdir(draft)) await run('dpkg-deb', ['-x', file, 'root'], { cwd: draft });
    await rename(join(draft, 'root'), folder);
    return folder;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Names of the packages to download: a package and those of its dependencies that are not installed. */
export async function withDependencies(name: string): Promise<string[]> {
  const { stdout } = await run('apt-get', ['-qq', '-y', '--print-uris', 'install', name]);
  return [...stdout.matchAll(/ (\S+?)_\S+\.deb /g)].flatMap(([, found]) => found ?? []);
}
