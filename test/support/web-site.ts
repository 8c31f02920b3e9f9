import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request to a site. */
export type Page = (response: ServerResponse, request: IncomingMessage) => void;

/** A third-party web server on loopback. */
export interface WebSite {
  /** The URL of a path. */
  url(path: string): string;
  port: number;
  /** Paths requested so far. */
  requests: string[];
  /** Number of connections so far, including those without a request. */
  connections(): number;
  /** Sets the response of a path; other paths are 404. */
  serve(path: string, page: Page): void;
  stop(): Promise<void>;
}

/** @param host address to listen on, for example `127.0.0.1` */
export async function startWebSite(host: string): Promise<WebSite> {
  const pages = new Map<string, Page>();
  const requests: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    (pages.get(path) ?? ((missing) => missing.writeHead(404).end('no such page')))(response, request);
  }).on('connection', () => {
    connections += 1;
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`,
    port,
    requests,
    connections: () => connections,
    serve: (path, page) => void pages.set(path, page),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Pages with fixed bytes, and pages that fail or never end. */
export const pages = {
  of:
    (bytes: Uint8Array, headers: Record<string, string> = {}, status = 200): Page =>
    (response) =>
      void response.writeHead(status, headers).end(bytes),

  redirect:
    (location: string, status = 302): Page =>
    (response) =>
      void response.writeHead(status, { location }).end(),

  error:
    (status: number): Page =>
    (response) =>
      void response.writeHead(status).end('an error'),

  /** Sends bytes without end, as fast as they are read. */
  endless:
    (first: Uint8Array): Page =>
    (response) => {
      const chunk = Buffer.alloc(256 * 1024);
      const send = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.writeHead(200).on('drain', send).write(first, send);
    },

  /** Sends the beginning, and nothing more. */
  stalled:
    (first: Uint8Array): Page =>
    (response) =>
      void response.writeHead(200).write(first),

  /** Sends a few bytes at a time, without end. */
  drip:
    (first: Uint8Array): Page =>
    (response) => {
      const timer = setInterval(() => response.write('<p>'), 200);
      response
        .on('close', () => clearInterval(timer))
        .writeHead(200)
        .write(first);
    },

  /** Sends the beginning of a longer response and closes the connection. */
  cut:
    (first: Uint8Array): Page =>
    (response) =>
      void response
        .writeHead(200, { 'content-length': String(first.length + 1000) })
        .write(first, () => response.socket?.destroy()),
};
