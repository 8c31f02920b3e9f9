import { isUtf8 } from 'node:buffer';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failure, LocalFile } from './local-file.ts';

export interface Walked {
  files: LocalFile[];
  /** What could not be read. */
  unreadable: (Failure & { path: string })[];
  /** How many FIFOs, sockets and devices there are, which have no bytes to send. */
  leftOut: number;
}

/** A name as people see it; `sound` when it is UTF-8, without which no path leads back to the file. */
interface Name {
  text: string;
  sound: boolean;
}

const NOT_UTF8: Failure = {
  where: 'reading',
  code: 'NAME_NOT_UTF8',
  message: 'the file name is not UTF-8; rename the file',
};

/**
 * Every file below a folder, in an order that is the same each time. Hidden ones are left out, and so are sockets and
 * the like, which are counted; symbolic links are not followed: what they lead to inside is found anyway, and outside is not meant.
 *
 * @throws the system's error when the folder itself cannot be read
 */
export async function walkFolder(folder: string, signal?: AbortSignal): Promise<Walked> {
  const walked: Walked = { files: [], unreadable: [], leftOut: 0 };
  await visitAll(folder, '', await sortedNames(folder), walked, signal);
  return walked;
}

async function visitAll(
  folder: string,
  prefix: string,
  names: Name[],
  walked: Walked,
  signal?: AbortSignal,
): Promise<void> {
  for (const { text, sound } of names) {
    const path = `${prefix}${text}`;
    if (sound) await visit(folder, path, walked, signal);
    else walked.unreadable.push({ path, ...NOT_UTF8 });
  }
}

async function visit(folder: string, path: string, walked: Walked, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const absolute = join(folder, path);
  try {
    const found = await lstat(absolute);
    if (found.isDirectory()) {
      await visitAll(folder, `${path}/`, await sortedNames(absolute), walked, signal);
    } else if (found.isFile()) {
      walked.files.push({ path, absolute, sizeBytes: found.size, mtimeMs: found.mtimeMs });
    } else if (!found.isSymbolicLink()) {
      walked.leftOut += 1;
    }
  } catch (error) {
    signal?.throwIfAborted();
    walked.unreadable.push({ path, ...readFailure(error) });
  }
}

async function sortedNames(folder: string): Promise<Name[]> {
  const names = (await readdir(folder, { encoding: 'buffer' })).map(readName);
  // By code units, so that no setting of the machine changes the order.
  return names.filter(({ text }) => !text.startsWith('.')).toSorted((a, b) => (a.text < b.text ? -1 : 1));
}

function readName(bytes: Buffer): Name {
  if (isUtf8(bytes)) return { text: bytes.toString(), sound: true };
  const escaped = Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCodePoint(byte) : `\\x${byte.toString(16)}`,
  );
  return { text: escaped.join(''), sound: false };
}

/** Why the system refuses to read a file. */
export function readFailure(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNREADABLE';
  const known: Record<string, string> = {
    EACCES: 'no read permission',
    EPERM: 'no read permission',
    ENOENT: 'it is no longer there',
  };
  return { where: 'reading', code, message: known[code] ?? (error instanceof Error ? error.message : code) };
}
