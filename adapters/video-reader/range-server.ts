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

/** One source over HTTP on loopback, for a program that reads it in ranges and gets neither URL nor keys of the store. */
export interface RangeServer {
  /** Contains a secret, which programs outside this machine cannot guess; its own users may read it in `/proc`. */
  url: string;
  /** Why bytes could not be delivered, if so: then the reader's own error is only a consequence. */
  failure(): unknown;
  close(): Promise<void>;
}

/** In memory at a time, for each request: the store's connection is never left waiting for a slow decoder. */
const CHUNK_BYTES = 2 * 2 ** 20;

/**
 * @param maxBytes that are delivered in all; unlimited by default
 * @param tooMany the failure beyond that
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
      // A reader that has what it needs closes the connection.
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
