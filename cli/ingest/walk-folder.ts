import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failure, LocalFile } from './local-file.ts';

export interface Walked {
  files: LocalFile[];
  /** What could not be looked at. */
  unreadable: (Failure & { path: string })[];
}

/**
 * Every file below a folder, in an order that is the same each time. Hidden ones are left out, and so are sockets and
 * the like; symbolic links are not followed: what they lead to inside is found anyway, and outside is not meant.
 *
 * @throws the system's error when the folder itself cannot be read
 */
export async function walkFolder(folder: string, signal?: AbortSignal): Promise<Walked> {
  const walked: Walked = { files: [], unreadable: [] };
  const names = await sortedNames(folder);
  for (const name of names) await visit(folder, name, walked, signal);
  return walked;
}

async function visit(folder: string, path: string, walked: Walked, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const absolute = join(folder, path);
  try {
    const found = await lstat(absolute);
    if (found.isDirectory()) {
      for (const name of await sortedNames(absolute)) await visit(folder, `${path}/${name}`, walked, signal);
    } else if (found.isFile()) {
      walked.files.push({ path, absolute, sizeBytes: found.size, mtimeMs: found.mtimeMs });
    }
  } catch (error) {
    signal?.throwIfAborted();
    walked.unreadable.push({ path, ...readFailure(error) });
  }
}

async function sortedNames(folder: string): Promise<string[]> {
  // By code units, so that no setting of the machine changes the order.
  return (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted();
}

/** What the system has against reading a file. */
export function readFailure(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNREADABLE';
  const known: Record<string, string> = {
    EACCES: 'this user may not read it',
    EPERM: 'this user may not read it',
    ENOENT: 'it is no longer there',
  };
  return { where: 'reading', code, message: known[code] ?? (error instanceof Error ? error.message : code) };
}
