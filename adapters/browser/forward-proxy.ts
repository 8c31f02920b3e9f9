import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { AddressGuard } from '../outbound/address-guard.ts';
import { createGuardedAgent, type ResolveName } from '../outbound/guarded-agent.ts';

/** An HTTP proxy on loopback, the only connection of a browser to the network. */
export interface ForwardProxy {
  url: string;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface ProxyLimits {
  /** Total of both directions; beyond it, all connections are closed. */
  maxBytes: number;
  /** Requests and tunnels together. */
  maxRequests: number;
  /** Concurrent connections of the browser. */
  maxConnections: number;
}

const TARGET = /^(\[[\da-f:.]+\]|[^:[\]]+):(\d{1,5})$/i;
/** Headers of a connection, which a proxy does not forward. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'upgrade'];

/**
 * Starts a proxy that connects only to addresses that the guard allows: each name is resolved and checked, and the checked
 * address is used. A refused request gets no response, so that a page cannot mistake it for a response of the site.
 */
export async function startForwardProxy(
  guard: AddressGuard,
  limits: ProxyLimits,
  resolve: ResolveName,
): Promise<ForwardProxy> {
  const agent = createGuardedAgent(false, guard, { keepAlive: false }, resolve);
  const open = new Set<Duplex>();
  let requests = 0;
  let bytes = 0;
  let ended = false;

  function end(): void {
    ended = true;
    for (const socket of open) socket.destroy();
  }

  function track<S extends Duplex>(socket: S): S {
    open.add(socket);
    socket.once('close', () => open.delete(socket)).on('error', () => undefined);
    if (ended) socket.destroy();
    return socket;
  }

  function counted<S extends Readable>(stream: S): S {
    return stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) end();
    });
  }

  function admit(): boolean {
    requests += 1;
    return !ended && requests <= limits.maxRequests;
  }

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:' || !admit()) return void request.socket.destroy();
    const { method, headers } = request;
    const onwards = http
      .request(url, { agent, method, headers: withoutHops(headers) })
      .on('response', (answer) =>
        orEnd(request.socket, () => {
          answer.on('error', () => response.destroy());
          response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
          counted(answer).pipe(response);
        }),
      )
      .on('error', () => request.socket.destroy())
      .on('upgrade', () => request.socket.destroy());
    response.once('close', () => onwards.destroy());
    counted(request).pipe(onwards);
  }

  function tunnel(request: IncomingMessage, browser: Duplex, head: Buffer): void {
    const [, host = '', port] = TARGET.exec(request.url ?? '') ?? [];
    if (host === '' || !admit()) return void browser.destroy();
    const site = agent.createConnection({ host, port: Number(port) }, (error) => {
      if (error) browser.destroy();
    });
    if (!site) return;
    track(site)
      .once('connect', () => {
        browser.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        site.write(head);
        counted(site).pipe(browser);
        counted(browser).pipe(site);
      })
      // After a clean end, pipe() has already ended the browser's side after the last bytes.
      .once('close', () => site.readableEnded || browser.destroy());
    browser.once('close', () => site.destroy());
  }

  const server = http
    .createServer((request, response) => orEnd(request.socket, () => forward(request, response)))
    .on('connect', (request, browser, head) => orEnd(browser, () => tunnel(request, browser, head)))
    .on('connection', track)
    // Without free file descriptors, a connection is not accepted; later ones may be.
    .on('error', () => undefined);
  server.maxConnections = limits.maxConnections;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      end();
      await closed;
      agent.destroy();
    },
  };
}

/** Closes only the affected connection if a message cannot be forwarded, such as a response with status 099. */
function orEnd(socket: Duplex, work: () => void): void {
  try {
    work();
  } catch {
    socket.destroy();
  }
}

function withoutHops(headers: http.IncomingHttpHeaders): http.IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}
