import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The bytes of a video, wherever they are stored. */
export interface ByteSource {
  sizeBytes: number;
  /** Both ends are included. */
  read(range: { first: number; last: number }, signal: AbortSignal): Promise<Uint8Array>;
}

/**
 * Serves one source over HTTP on loopback, to a program that reads it in ranges without access to the URL or
 * keys of the store.
 */
export interface RangeServer {
  /** Contains a secret; local users can read it in `/proc`, where it appears as an argument. */
  url: string;
  /**
   * The reason why bytes could not be delivered, if any; the reader's own error is then only a consequence.
   */
  failure(): unknown;
  close(): Promise<void>;
}

/**
 * Bytes held in memory per request: each chunk is read completely, so no connection to the store waits for a
 * slow decoder.
 */
const CHUNK_BYTES = 2 * 2 ** 20;

/**
 * @param maxBytes limit of the bytes delivered in total; unlimited by default
 * @param tooMany the failure beyond that limit
 */
export async function serveRanges(
  source: ByteSource,
  { maxBytes = Infinity, tooMany }: { maxBytes?: number; tooMany?: Error } = {},
): Promise<RangeServer> {
  const path = `/${randomBytes(24).toString('hex')}`;
  const stop = new AbortController();
  let failure: unknown;
  let delivered = 0;

  async function deliver(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const range = request.url === path ? rangeOf(request.headers.range, source.sizeBytes) : undefined;
    if (!range) {
      response.writeHead(request.url === path ? 416 : 404).end();
      return;
    }
    const { first, last } = range;
    response.writeHead(206, {
      'accept-ranges': 'bytes',
      'content-length': last - first + 1,
      'content-range': `bytes ${first}-${last}/${source.sizeBytes}`,
    });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([stop.signal, gone.signal]);
    for (let at = first; at <= last && !signal.aborted; at += CHUNK_BYTES) {
      const chunk = await source.read({ first: at, last: Math.min(last, at + CHUNK_BYTES - 1) }, signal);
      delivered += chunk.length;
      if (delivered > maxBytes) throw tooMany ?? new Error(`more than ${maxBytes} bytes were read`);
      if (!response.write(chunk)) await once(response, 'drain', { signal });
    }
    response.end();
  }

  const server = createServer((request, response) => {
    deliver(request, response).catch((error: unknown) => {
      // A reader closes the connection once it has read enough; that is not a failure.
      if (!response.closed && !stop.signal.aborted) failure ??= error;
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    failure: () => failure,
    async close() {
      stop.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @returns undefined for a range that is not satisfiable */
function rangeOf(header: string | undefined, size: number): { first: number; last: number } | undefined {
  const asked = /^bytes=(\d+)-(\d*)$/.exec(header ?? 'bytes=0-');
  const first = Number(asked?.[1] ?? Infinity);
  const last = Math.min(size - 1, asked?.[2] ? Number(asked[2]) : Infinity);
  return first <= last ? { first, last } : undefined;
}
