import { isUtf8 } from 'node:buffer';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failure, LocalFile } from './plan-transfers.ts';

export interface Walked {
  files: LocalFile[];
  unreadable: (Failure & { path: string })[];
  /** Number of FIFOs, sockets and devices, which have no bytes to send. */
  skipped: number;
}

/** A displayable name; `valid` if it is UTF-8, otherwise the file cannot be opened by it. */
interface Name {
  text: string;
  valid: boolean;
}

const NOT_UTF8: Failure = {
  where: 'reading',
  code: 'NAME_NOT_UTF8',
  message: 'the file name is not UTF-8; rename the file',
};

/**
 * Every file below a folder, in a stable order. Hidden files, and what systems keep beside the files of their users, are
 * skipped; FIFOs, sockets and devices are counted.
 * Symbolic links are not followed: the walk finds targets inside the folder anyway, and targets outside are not part of
 * the folder.
 *
 * @throws the system's error if the folder itself cannot be read
 */
export async function walkFolder(folder: string, signal?: AbortSignal): Promise<Walked> {
  const walked: Walked = { files: [], unreadable: [], skipped: 0 };
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
  for (const { text, valid } of names) {
    const path = `${prefix}${text}`;
    if (valid) await visit(folder, path, walked, signal);
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
      walked.skipped += 1;
    }
  } catch (error) {
    signal?.throwIfAborted();
    walked.unreadable.push({ path, ...readFailure(error) });
  }
}

async function sortedNames(folder: string): Promise<Name[]> {
  const names = (await readdir(folder, { encoding: 'buffer' })).map(readName);
  // By code units, so that the order does not depend on the locale.
  return names.filter(({ text }) => !isOfTheSystem(text)).toSorted((a, b) => (a.text < b.text ? -1 : 1));
}

/** Names that only systems give: thumbnails and trash of a NAS, and indexes of Windows. */
const OF_SYSTEMS = [
  '@eadir',
  '@recycle',
  '#recycle',
  '@recently-snapshot',
  '#snapshot',
  '@tmp',
  '$recycle.bin',
  'system volume information',
  '__macosx',
  'lost+found',
  'thumbs.db',
  'ehthumbs.db',
  'desktop.ini',
];

/** Whether a name is hidden, or of what a system keeps for itself beside the files of its user. */
function isOfTheSystem(name: string): boolean {
  return name.startsWith('.') || OF_SYSTEMS.includes(name.toLowerCase()) || name.includes('@SynoEAStream');
}

function readName(bytes: Buffer): Name {
  if (isUtf8(bytes)) return { text: bytes.toString(), valid: true };
  const escaped = Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCodePoint(byte) : `\\x${byte.toString(16)}`,
  );
  return { text: escaped.join(''), valid: false };
}

/** Describes why a file cannot be read. */
export function readFailure(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNREADABLE';
  const known: Record<string, string> = {
    EACCES: 'no read permission',
    EPERM: 'no read permission',
    ENOENT: 'the file no longer exists',
  };
  return { where: 'reading', code, message: known[code] ?? (error instanceof Error ? error.message : code) };
}
