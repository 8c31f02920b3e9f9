import { randomUUID } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { createCallHost } from '../../engines/hosts/call-host.ts';
import { HostEnded, startProcess } from '../../engines/hosts/host.ts';
import { allowedFolder, type AllowedFolder } from './allowed-folder.ts';
import { SourceFolderError } from './folder-error.ts';
import type { FolderReply, FolderRequest } from './folder-process.ts';
import type { FolderPage } from './local-folder.ts';

/**
 * A folder to read from. Symbolic links are not followed, whenever they appear. Errors are SourceFolderError or the reason of
 * the signal.
 */
export interface SourceFolder {
  /** All below the folder, in no order, a page at a time; one listing at a time. */
  list(signal: AbortSignal): AsyncGenerator<FolderPage, undefined>;
  /** Fails if the folder cannot be read, or is empty. */
  probe(signal: AbortSignal): Promise<void>;
  /** The bytes of a file while it has this version: a change meanwhile is an error at their end. Read or destroy them. */
  open(key: string, version: string, signal: AbortSignal): Promise<{ content: Readable; sizeBytes: number }>;
  /** Ends everything that is open. */
  close(): void;
}

const MODULE = new URL('./folder-process.ts', import.meta.url);
const ANSWER_WITHIN_MS = 30_000;
const NEVER = new AbortController().signal;

/** Allowed folders with a process that was killed and has not ended, since its file system holds it. */
const stuck = new Set<{ root: string }>();

/**
 * A folder that a process of its own reads, from the first call until it is closed: a file system that does not answer holds
 * threads of that process, which is killed, and none of this one.
 *
 * @throws SourceFolderError for a folder that is not allowed
 */
export function openSourceFolder(
  folders: readonly AllowedFolder[],
  { tenantId, path, withinMs = ANSWER_WITHIN_MS }: { tenantId: string; path: string; withinMs?: number },
): SourceFolder {
  const allowed = allowedFolder(folders, tenantId, path);
  if (!allowed) throw new SourceFolderError('SOURCE_DENIED', 'the operator does not allow this folder');
  const root = allowed.path;
  const host = createCallHost<FolderRequest, FolderReply>(() =>
    startProcess({ module: MODULE, args: [root, path], stderr: 'inherit' }),
  );
  let isClosed = false;

  function close(): Promise<void> {
    isClosed = true;
    return host.kill();
  }

  function giveUp(): void {
    const own = { root };
    stuck.add(own);
    void close().then(() => stuck.delete(own));
  }

  async function ask(request: FolderRequest, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const silent = new SourceFolderError(
      'SOURCE_UNAVAILABLE',
      'the file system of the server does not answer',
    );
    if (isClosed || [...stuck].some((other) => other.root === root)) throw silent;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(silent);
      giveUp();
    }, withinMs);
    const onAbort = () => late.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const reply = await Promise.race([host.call(request), late.promise]);
      if ('result' in reply) return reply.result;
      throw new SourceFolderError(reply.error.code, reply.error.message);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof HostEnded)) throw error;
      const message = 'the process that reads the folder has ended';
      throw new SourceFolderError('SOURCE_UNAVAILABLE', message, { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  return {
    async *list(signal) {
      for (let begin = true; ; begin = false) {
        const page = (await ask({ do: 'list', begin }, signal)) as FolderPage | undefined;
        if (!page) return undefined;
        yield page;
      }
    },
    async probe(signal) {
      await ask({ do: 'probe' }, signal);
    },
    async open(key, version, signal) {
      const id = randomUUID();
      await ask({ do: 'open', id, key, version }, signal);
      async function* bytes(): AsyncGenerator<Uint8Array, undefined> {
        for (;;) {
          const chunk = (await ask({ do: 'read', id }, signal)) as Uint8Array | undefined;
          if (!chunk) return undefined;
          yield chunk;
        }
      }
      const content = Readable.from(bytes(), { objectMode: false });
      content.once('close', () => void ask({ do: 'close', id }, NEVER).catch(() => undefined));
      // Readers learn of a failure from the stream itself.
      content.on('error', () => undefined);
      return { content: addAbortSignal(signal, content), sizeBytes: Number(version.split('-').at(-1)) };
    },
    // Not waited for: the kernel holds a process that waits for some kinds of disks.
    close: () => void close(),
  };
}
