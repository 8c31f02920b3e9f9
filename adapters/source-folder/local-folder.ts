import { constants, type BigIntStats, type Dir, type Dirent } from 'node:fs';
import { lstat, open as openFile, opendir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { isBelow } from './allowed-folder.ts';
import { isGone, SourceFolderError, toFolderError } from './folder-error.ts';

export interface FolderEntry {
  /** The path below the folder, with `/`. */
  key: string;
  /** Time of the last change and size; empty for what is no file that can be read. */
  version: string;
  sizeBytes: number | null;
  /** Why it is no such file. */
  problem?: string;
}

export interface FolderPage {
  entries: FolderEntry[];
  /** Whether a part could not be listed, so that files may be missing. */
  isPartial: boolean;
}

const ENTRIES_PER_PAGE = 500;
/** A page of a slow file system is as long as it gets in this time. */
const PAGE_MS = 2_000;
/** Each level keeps a folder open. */
const MOST_LEVELS = 64;

/**
 * The path of a folder without links.
 *
 * @throws SourceFolderError if it leads out of the root; errors of the file system
 */
export async function findTop(root: string, path: string): Promise<string> {
  const [allowed, top] = await Promise.all([realpath(root), realpath(resolve('/', path))]);
  if (!isBelow(allowed, top))
    throw new SourceFolderError('SOURCE_DENIED', 'the operator does not allow this folder');
  return top;
}

/** Fails if a folder cannot be read, or has nothing: as the place of a disk that is not mounted. */
export async function probeFolder(top: string): Promise<void> {
  const folder = await opendir(top);
  try {
    if (await folder.read()) return;
    throw new SourceFolderError('SOURCE_GONE', 'the folder is empty; its disk may not be mounted');
  } finally {
    await folder.close();
  }
}

/**
 * All below a folder, in no order, a page at a time; the memory for it grows with the depth alone. What fails by itself is an
 * entry with the reason, and makes the listing partial.
 *
 * @throws errors of the file system, if the folder itself cannot be read
 */
export async function* walkFolder(top: string): AsyncGenerator<FolderPage, undefined> {
  const open = [await enter(top)];
  let page: FolderPage = { entries: [], isPartial: false };
  let until = Date.now() + PAGE_MS;
  const keyOf = (path: string) => relative(top, path).replaceAll(sep, '/');

  function miss(key: string, problem: string): undefined {
    page.isPartial = true;
    page.entries.push(noFile(key, problem));
  }

  async function fails(key: string, error: unknown): Promise<undefined> {
    if (isGone(error)) return;
    const { code, message } = toFolderError(error);
    if (code !== 'SOURCE_DENIED') await probeFolder(top);
    miss(key, message);
  }

  async function take(parent: string, entry: Dirent): Promise<void> {
    const path = join(parent, entry.name);
    const key = keyOf(path);
    if (entry.name.includes('\uFFFD')) {
      page.isPartial ||= entry.isDirectory();
      page.entries.push(noFile(key, 'its name is not UTF-8, or has the character U+FFFD'));
      return;
    }
    const found = await lstat(path, { bigint: true }).catch((error: unknown) => fails(key, error));
    if (!found) return;
    if (!found.isDirectory()) page.entries.push(entryOf(key, found));
    else if (open.length >= MOST_LEVELS) miss(`${key}/`, `it is more than ${MOST_LEVELS} levels down`);
    else {
      const below = await enter(path).catch((error: unknown) => fails(`${key}/`, error));
      if (below) open.push(below);
    }
  }

  /** Null at its end. */
  async function next({ path, folder }: OpenFolder): Promise<Dirent | null | 'missed'> {
    try {
      return await folder.read();
    } catch (error) {
      // Where the file system does not say what an entry is, Node.js looks, and forgets some if one has gone meanwhile.
      if (!isGone(error) || !(error instanceof Error && 'syscall' in error && error.syscall === 'lstat')) {
        await fails(`${keyOf(path)}/`, error);
        return null;
      }
      page.isPartial = true;
      return 'missed';
    }
  }

  try {
    for (let at = open.at(-1); at; at = open.at(-1)) {
      const entry = await next(at);
      if (entry === null) await open.pop()?.folder.close();
      else if (entry !== 'missed') await take(at.path, entry);
      if (page.entries.length >= ENTRIES_PER_PAGE || Date.now() > until) {
        yield page;
        page = { entries: [], isPartial: false };
        until = Date.now() + PAGE_MS;
      }
    }
    yield page;
    return undefined;
  } finally {
    for (const { folder } of open) await folder.close();
  }
}

interface OpenFolder {
  path: string;
  folder: Dir;
}

/** Opens a folder by a path without links. */
async function enter(path: string): Promise<OpenFolder> {
  const folder = await opendir(path);
  try {
    if ((await realpath(path)) === path) return { path, folder };
    throw new SourceFolderError('SOURCE_DENIED', 'it is a symbolic link by now');
  } catch (error) {
    await folder.close();
    throw error;
  }
}

function entryOf(key: string, found: BigIntStats): FolderEntry {
  if (found.isFile()) return { key, version: versionOf(found), sizeBytes: Number(found.size) };
  return noFile(key, found.isSymbolicLink() ? 'symbolic links are not followed' : 'it is no ordinary file');
}

const noFile = (key: string, problem: string): FolderEntry => ({
  key,
  version: '',
  sizeBytes: null,
  problem,
});

const versionOf = ({ mtimeNs, size }: BigIntStats): string => `${mtimeNs}-${size}`;

/**
 * Opens a file below a folder while it has a version.
 *
 * @throws SourceFolderError; errors of the file system
 */
export async function openBelow(top: string, key: string, version: string): Promise<FileHandle> {
  const path = join(top, key);
  // Without waiting for the other end of a pipe that has taken the place of the file.
  const handle = await openFile(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const [found, real] = await Promise.all([handle.stat({ bigint: true }), realpath(path)]);
    const there = await stat(real, { bigint: true });
    // A link on the way may have led elsewhere. What was opened is in the folder if its path without links is.
    if (real !== path || !isBelow(top, real) || there.ino !== found.ino || there.dev !== found.dev) {
      throw new SourceFolderError('SOURCE_DENIED', 'symbolic links are not followed');
    }
    if (!found.isFile()) throw changed();
    requireVersion(found, version);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** @throws SourceFolderError for a file that no longer has a version; errors of the file system */
export async function checkVersion(top: string, key: string, version: string): Promise<void> {
  requireVersion(await lstat(join(top, key), { bigint: true }), version);
}

function requireVersion(found: BigIntStats, version: string): void {
  if (versionOf(found) !== version) throw changed();
}

const changed = () =>
  new SourceFolderError('SOURCE_CHANGED', 'it has changed since it was listed; import it again');
