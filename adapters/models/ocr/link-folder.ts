import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';

/**
 * A temporary folder with links to these files by their names. All processes use the same folder for the same files, so
 * that a killed process leaves nothing behind that the next one would not reuse.
 *
 * @throws Error when another user owns a folder of that name, or it has other content
 */
export function linkFolder(prefix: string, files: readonly string[]): string {
  const { uid } = userInfo();
  const name = createHash('sha256')
    .update(JSON.stringify([uid, files]))
    .digest('hex')
    .slice(0, 16);
  const folder = join(tmpdir(), `${prefix}-${name}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || (uid >= 0 && stat.uid !== uid)) throw new Error(`${folder} is not ours`);
  for (const file of files) link(file, join(folder, basename(file)));
  return folder;
}

/** Another process may be doing the same. */
function link(file: string, at: string): void {
  try {
    symlinkSync(file, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (readlinkSync(at) !== file) throw new Error(`${at} is not a link to ${file}`, { cause: error });
  }
}
