import { constants, Dirent, lstat as lookAt, type BigIntStats } from 'node:fs';
import { lstat, open as openFile, opendir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { addAbortSignal, Transform, type Readable } from 'node:stream';

/** A folder that the operator allows, with all below it. */
export interface AllowedFolder {
  path: string;
  /** The only account that may read it; every account without. */
  tenantId?: string;
}

/** A failure of a folder or of a file in it, with a message that is safe to show. */
export class SourceFolderError extends Error {
  override readonly name = 'SourceFolderError';
  readonly code: 'SOURCE_DENIED' | 'SOURCE_GONE' | 'SOURCE_CHANGED' | 'SOURCE_UNAVAILABLE';

  constructor(code: SourceFolderError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

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
  /** Whether a folder below could not be read, so that files may be missing. */
  isPartial: boolean;
}

/**
 * A folder to read from. Symbolic links are not followed, whenever they appear. Errors are SourceFolderError or the reason of
 * the signal; a file system that does not answer is given up, though the system call may wait on.
 */
export interface SourceFolder {
  /** All below the folder, in no order, a page at a time. The memory for it grows with the depth alone. */
  list(signal: AbortSignal): AsyncGenerator<FolderPage, undefined>;
  /** Fails if the folder cannot be read. */
  probe(signal: AbortSignal): Promise<void>;
  /** The bytes of a file while it has this version: a change meanwhile is an error at their end. Read or destroy them. */
  open(key: string, version: string, signal: AbortSignal): Promise<{ content: Readable; sizeBytes: number }>;
}

const ENTRIES_PER_PAGE = 500;
/** A page of a slow file system is as long as it gets in this time. */
const PAGE_MS = 2_000;
const ANSWER_WITHIN_MS = 30_000;
/** Each level keeps a folder open. */
const MOST_LEVELS = 64;

/**
 * Whether a path is below an allowed folder by its name, without a look at the file system.
 *
 * @returns the folder
 */
export function allowedFolder(
  folders: readonly AllowedFolder[],
  tenantId: string,
  path: string,
): AllowedFolder | undefined {
  const wanted = resolve('/', path);
  return folders.find(
    (folder) =>
      (folder.tenantId === undefined || folder.tenantId === tenantId) && isBelow(folder.path, wanted),
  );
}

/** @throws SourceFolderError, also if the path leads out of every allowed folder; the reason of the signal */
export async function openSourceFolder(
  folders: readonly AllowedFolder[],
  { tenantId, path, signal }: { tenantId: string; path: string; signal: AbortSignal },
): Promise<SourceFolder> {
  const allowed = allowedFolder(folders, tenantId, path);
  const denied = new SourceFolderError('SOURCE_DENIED', 'the operator does not allow this folder');
  if (!allowed) throw denied;
  const [root, top] = await answered(
    Promise.all([realpath(allowed.path), realpath(resolve('/', path))]),
    signal,
  );
  if (!isBelow(root, top)) throw denied;

  return {
    async *list(until) {
      const pages = walk(top);
      try {
        for (;;) {
          const page = await answered(pages.next(), until);
          if (page.done) return undefined;
          yield page.value;
        }
      } finally {
        // Not waited for: the file system may not answer.
        void pages.return(undefined).catch(() => undefined);
      }
    },
    probe: (until) =>
      answered(
        opendir(top).then((folder) => folder.close()),
        until,
      ),
    async open(key, version, until) {
      const opening = openBelow(top, key, version, until);
      try {
        return await answered(opening, until);
      } catch (error) {
        void opening.then(
          ({ content }) => content.destroy(),
          () => undefined,
        );
        throw error;
      }
    },
  };
}

async function* walk(top: string): AsyncGenerator<FolderPage, undefined> {
  const open = [await enter(top)];
  let page: FolderPage = { entries: [], isPartial: false };
  let until = Date.now() + PAGE_MS;

  async function take(parent: string, entry: Dirent): Promise<void> {
    const path = join(parent, entry.name);
    const key = relative(top, path).replaceAll(sep, '/');
    const isNamed = !entry.name.includes('\uFFFD');
    const found = isNamed ? await lstat(path, { bigint: true }).catch(unlessDenied) : entry;
    if (found === null) {
      page.isPartial = true;
      page.entries.push(noFile(key, 'the server may not read it'));
    }
    if (!found) return;
    const below =
      isNamed && found.isDirectory() && open.length < MOST_LEVELS
        ? await enter(path).catch(unlessDenied)
        : null;
    if (below) open.push(below);
    else if (found.isDirectory()) page.isPartial = true;
    if (below === null) page.entries.push(entryOf(key, found));
  }

  try {
    for (let at = open.at(-1); at; at = open.at(-1)) {
      const entry = await at.folder.read();
      if (entry) await take(at.path, entry);
      else await open.pop()?.folder.close();
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

/** Opens a folder by a path without links. */
async function enter(path: string) {
  const folder = await opendir(path);
  if ((await realpath(path)) === path) return { path, folder };
  await folder.close();
  throw new SourceFolderError('SOURCE_DENIED', 'it is a symbolic link by now');
}

function entryOf(key: string, found: BigIntStats | Dirent): FolderEntry {
  if (found instanceof Dirent) return noFile(key, 'its name is not UTF-8');
  if (found.isFile()) return { key, version: versionOf(found), sizeBytes: Number(found.size) };
  if (found.isDirectory())
    return noFile(`${key}/`, `the folder cannot be read, or is more than ${MOST_LEVELS} levels down`);
  return noFile(key, found.isSymbolicLink() ? 'symbolic links are not followed' : 'it is no ordinary file');
}

const noFile = (key: string, problem: string): FolderEntry => ({
  key,
  version: '',
  sizeBytes: null,
  problem,
});

const versionOf = ({ mtimeNs, size }: BigIntStats): string => `${mtimeNs}-${size}`;

async function openBelow(top: string, key: string, version: string, signal: AbortSignal) {
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
    if (!found.isFile() || versionOf(found) !== version) throw changed();
  } catch (error) {
    await handle.close();
    throw error;
  }
  const bytes = handle.createReadStream();
  const content = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush(done) {
      lookAt(path, { bigint: true }, (error, now) => {
        if (error) done(toFolderError(error));
        else done(versionOf(now) === version ? null : changed());
      });
    },
  });
  bytes.once('error', (error) => content.destroy(toFolderError(error)));
  content.once('close', () => bytes.destroy());
  // Readers learn of a failure from the stream itself.
  content.on('error', () => undefined);
  const sizeBytes = Number(version.split('-').at(-1));
  return { content: addAbortSignal(signal, bytes.pipe(content)), sizeBytes };
}

const changed = () =>
  new SourceFolderError('SOURCE_CHANGED', 'it has changed since it was listed; import it again');

/** Whether a path is that of a folder or below it, by their names. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ENXIO'].includes(String(codeOf(error)));

/** Undefined for what is gone, null for what may not be read. */
function unlessDenied(error: unknown): undefined | null {
  if (isGone(error)) return undefined;
  if (toFolderError(error).code === 'SOURCE_DENIED') return null;
  throw error;
}

function toFolderError(error: unknown): SourceFolderError {
  if (error instanceof SourceFolderError) return error;
  const code = String(codeOf(error));
  if (isGone(error))
    return new SourceFolderError('SOURCE_GONE', 'it is no longer at the source', { cause: error });
  if (['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(code)) {
    return new SourceFolderError('SOURCE_DENIED', 'the server may not read it', { cause: error });
  }
  return new SourceFolderError('SOURCE_UNAVAILABLE', `the file system of the server fails: ${code}`, {
    cause: error,
  });
}

/** Waits for the file system, which may be one of a network that never answers. */
async function answered<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new SourceFolderError('SOURCE_UNAVAILABLE', 'the file system of the server does not answer'));
  }, ANSWER_WITHIN_MS);
  const onAbort = () => late.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    signal.throwIfAborted();
    throw toFolderError(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
