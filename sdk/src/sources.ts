import { errorOf, ConnectionError, reasonOf } from './errors.ts';

/**
 * A source for an upload: a path, a URL, bytes, or a stream. The file name comes from the path, the URL or the `File`;
 * other sources are named by `filename`.
 */
export type UploadSource =
  | string
  | URL
  | Blob
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** The bytes of a source, which can be read repeatedly. */
export interface Content {
  filename: string;
  blob: Blob;
  /** Removes the temporary file of a long stream. */
  remove?: () => Promise<void>;
}

/** The parts of a blob, whose type has different names in Node and in browsers. */
export type BlobParts = NonNullable<ConstructorParameters<typeof Blob>[0]>;

/** Maximum size of a stream that is kept in memory; longer ones go to a temporary file. */
const KEPT_BYTES = 8 * 1024 * 1024;

interface NodeModules {
  'node:fs': {
    openAsBlob: (path: string | URL) => Promise<Blob>;
    promises: {
      open: (
        path: string,
        flags: string,
        mode: number,
      ) => Promise<{ appendFile: (chunk: Uint8Array) => Promise<void>; close: () => Promise<void> }>;
      rm: (path: string, options: { force: boolean }) => Promise<void>;
    };
  };
  'node:os': { tmpdir: () => string };
  'node:crypto': {
    createHash: (algorithm: string) => {
      update: (chunk: Uint8Array) => void;
      digest: (encoding: 'hex') => string;
    };
  };
  'node:url': { fileURLToPath: (url: URL) => string };
}

/**
 * A module of Node, which Bun and Deno have too; undefined in browsers. Not imported, so that bundlers do not see it.
 */
export function nodeModule<N extends keyof NodeModules>(name: N): NodeModules[N] | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name) as NodeModules[N] | undefined;
}

/**
 * Opens a source. Streams are read to the end first, so that lost requests can be retried.
 *
 * @throws TypeError for a path in a browser; ApiError, ConnectionError for a URL that cannot be read; the system's
 *   error
 *   for a file; the error of a stream; the reason of the signal
 */
export async function openSource(
  source: UploadSource,
  { filename, signal }: { filename?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Content> {
  if (source instanceof Blob) {
    const name = filename ?? (source as Blob & { name?: string }).name ?? 'file';
    return { filename: lastPart(name), blob: source };
  }
  if (source instanceof Uint8Array)
    return { filename: filename ?? 'file', blob: new Blob([source] as BlobParts) };
  if (typeof source === 'string' && !/^(https?|file):\/\//.test(source)) {
    return { filename: filename ?? lastPart(source), blob: await openFile(source) };
  }
  if (typeof source === 'string' || source instanceof URL) return openUrl(new URL(source), filename, signal);
  const stream = source instanceof ReadableStream ? source : streamOf(source);
  return { filename: filename ?? 'file', ...(await kept(stream, signal)) };
}

async function openFile(path: string | URL): Promise<Blob> {
  const { Bun: bun } = globalThis as { Bun?: { file: (path: string | URL) => Blob } };
  if (bun) return bun.file(path);
  const fs = nodeModule('node:fs');
  if (!fs) throw new TypeError('paths are not supported in browsers: upload a Blob');
  return fs.openAsBlob(path);
}

async function openUrl(
  url: URL,
  filename: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Content> {
  const name = filename ?? (lastPart(decodeURIComponent(url.pathname)) || 'file');
  if (url.protocol === 'file:') return { filename: name, blob: await openFile(url) };
  const lost = (error: unknown) => {
    signal?.throwIfAborted();
    const message = `${url.host} cannot be reached (${reasonOf(error)})`;
    return new ConnectionError('CONNECTION_LOST', message, { cause: error });
  };
  const response = await fetch(url, { ...(signal && { signal }) }).catch((error: unknown) => {
    throw lost(error);
  });
  if (!response.ok) throw await errorOf(response);
  if (!response.body) return { filename: name, blob: new Blob([]) };
  return { filename: name, ...(await kept(response.body, signal, lost)) };
}

/**
 * Reads a stream into memory, or into a temporary file if it is long and the runtime has files.
 *
 * @param toError converts an error of the stream to the error to throw
 */
async function kept(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
  toError: (error: unknown) => unknown = (error) => error,
): Promise<Omit<Content, 'filename'>> {
  const reader = stream.getReader();
  // Not awaited, because cancelling a hanging source may never end.
  const cancel = () => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener('abort', cancel);
  const next = async () => {
    signal?.throwIfAborted();
    const { value } = await reader.read().catch((error: unknown) => {
      throw toError(error);
    });
    signal?.throwIfAborted();
    return value;
  };
  try {
    const begun: Uint8Array[] = [];
    let size = 0;
    for (let chunk = await next(); chunk; chunk = await next()) {
      begun.push(chunk);
      size += chunk.length;
      if (size > KEPT_BYTES && nodeModule('node:fs')) return await spooled(begun, next);
    }
    return { blob: new Blob(begun as BlobParts) };
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** Writes a long stream to a temporary file. */
async function spooled(
  begun: readonly Uint8Array[],
  next: () => Promise<Uint8Array | undefined>,
): Promise<Omit<Content, 'filename'>> {
  const [fs, os] = [nodeModule('node:fs'), nodeModule('node:os')];
  if (!fs || !os) throw new TypeError('files are not supported in browsers');
  const path = `${os.tmpdir()}/darkroom-${crypto.randomUUID()}`;
  const file = await fs.promises.open(path, 'wx', 0o600);
  const remove = () => fs.promises.rm(path, { force: true });
  try {
    for (const chunk of begun) await file.appendFile(chunk);
    for (let chunk = await next(); chunk; chunk = await next()) await file.appendFile(chunk);
    await file.close();
    return { blob: await openFile(path), remove };
  } catch (error) {
    await file.close().catch(() => undefined);
    await remove();
    throw error;
  }
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });
}

const lastPart = (path: string) => path.split(/[\\/]/).at(-1) ?? '';
