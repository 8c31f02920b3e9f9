import { errorOf, ConnectionError, reasonOf } from './errors.ts';

/**
 * What can be uploaded: the path of a file or its URL, bytes, or a stream of them. A `Blob` that is a `File` has a
 * name; the others are named by `filename`.
 */
export type UploadSource =
  | string
  | URL
  | Blob
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** The bytes of a source: all at hand, so that they can be sent again, or flowing by once. */
export type Content = { filename: string } & (
  | { blob: Blob; stream?: never }
  | { blob?: never; stream: ReadableStream<Uint8Array> }
);

/** What a blob is made of; the types of Node and of browsers name it differently. */
export type BlobParts = NonNullable<ConstructorParameters<typeof Blob>[0]>;

/** A stream of up to so many bytes is kept, so that a lost request can be repeated. */
const KEPT_BYTES = 8 * 1024 * 1024;

interface NodeModules {
  'node:fs': { openAsBlob: (path: string | URL) => Promise<Blob> };
  'node:crypto': {
    createHash: (algorithm: string) => {
      update: (chunk: Uint8Array) => void;
      digest: (encoding: 'hex') => string;
    };
  };
  'node:url': { fileURLToPath: (url: URL) => string };
}

/** A module of Node, which Bun and Deno have too; undefined in a browser. Never imported, for bundlers. */
export function nodeModule<N extends keyof NodeModules>(name: N): NodeModules[N] | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name) as NodeModules[N] | undefined;
}

/**
 * Opens a source.
 *
 * @throws TypeError for a path where there are no files; ApiError, ConnectionError for a URL that cannot be read; the
 *   system's error for a file
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
  return kept(filename ?? 'file', source instanceof ReadableStream ? source : streamOf(source));
}

async function openFile(path: string | URL): Promise<Blob> {
  const { Bun: bun } = globalThis as { Bun?: { file: (path: string | URL) => Blob } };
  if (bun) return bun.file(path);
  const fs = nodeModule('node:fs');
  if (!fs) throw new TypeError('there are no files here: upload a Blob');
  return fs.openAsBlob(path);
}

async function openUrl(
  url: URL,
  filename: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Content> {
  const name = filename ?? (lastPart(decodeURIComponent(url.pathname)) || 'file');
  if (url.protocol === 'file:') return { filename: name, blob: await openFile(url) };
  let response: Response;
  try {
    response = await fetch(url, { ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    const message = `${url.host} cannot be reached (${reasonOf(error)})`;
    throw new ConnectionError('CONNECTION_LOST', message, { cause: error });
  }
  if (!response.ok) throw await errorOf(response);
  return response.body ? kept(name, response.body) : { filename: name, blob: new Blob([]) };
}

/** A short stream as bytes at hand; in a browser any, as it cannot send streams. */
async function kept(filename: string, stream: ReadableStream<Uint8Array>): Promise<Content> {
  const most = nodeModule('node:fs') ? KEPT_BYTES : Infinity;
  const reader = stream.getReader();
  const begun: Uint8Array[] = [];
  for (let size = 0; size <= most;) {
    const { done, value } = await reader.read();
    if (done) return { filename, blob: new Blob(begun as BlobParts) };
    begun.push(value);
    size += value.length;
  }
  const rest = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of begun) controller.enqueue(chunk);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { filename, stream: rest };
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
