import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request to a site. */
export type Page = (response: ServerResponse, request: IncomingMessage) => void;

/** A web server of a stranger, on loopback. */
export interface WebSite {
  /** The URL of a path. */
  url(path: string): string;
  port: number;
  /** Paths requested so far. */
  requests: string[];
  /** Connections so far, also those without a request. */
  connections(): number;
  /** The response of a path; 404 for others. */
  serve(path: string, page: Page): void;
  stop(): Promise<void>;
}

/** @param host where to listen, for example `127.0.0.1` */
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

/** Pages that answer with bytes, and those that do not end well. */
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

  /** Bytes for ever, as fast as they are read. */
  endless:
    (first: Uint8Array): Page =>
    (response) => {
      const chunk = Buffer.alloc(256 * 1024);
      const send = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.writeHead(200).on('drain', send).write(first, send);
    },

  /** The beginning, and nothing more. */
  stalled:
    (first: Uint8Array): Page =>
    (response) =>
      void response.writeHead(200).write(first),

  /** A few bytes at a time, without an end. */
  drip:
    (first: Uint8Array): Page =>
    (response) => {
      const timer = setInterval(() => response.write('<p>'), 200);
      response
        .on('close', () => clearInterval(timer))
        .writeHead(200)
        .write(first);
    },

  /** The beginning of a longer answer, and the end of the connection. */
  cut:
    (first: Uint8Array): Page =>
    (response) =>
      void response
        .writeHead(200, { 'content-length': String(first.length + 1000) })
        .write(first, () => response.socket?.destroy()),
};
