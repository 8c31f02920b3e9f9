/** Source archives of packages on PyPI, whose tests have real documents. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';

const run = promisify(execFile);

/**
 * Downloads and unpacks a source archive, once.
 *
 * @param wanted such as `invoice2data==0.3.6`
 * @returns a folder with that of the archive
 * @throws Error if pip or the package is not available
 */
export async function unpackPypi(wanted: string): Promise<string> {
  const folder = join(PROJECT_ROOT, '.cache', 'archives', wanted.replaceAll(/[^\w.]+/g, '-'));
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const draft = await mkdtemp(`${folder}.`);
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '-d', draft];
    await run('python3', [...pip, wanted]);
    const [archive] = await readdir(draft);
    await run('tar', ['-xzf', join(draft, archive ?? ''), '-C', draft]);
    await rename(draft, folder);
    return folder;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
