import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy on loopback that counts requests. */
export interface CountingProxy {
  url: string;
  /** Requests so far, by method. */
  counts: ReadonlyMap<string, number>;
  close(): void;
}

/**
 * Starts a proxy in front of a server that may be started later. Signatures of S3 cover the header `Host`, so that it is
 * passed on like all others.
 *
 * @param target address of the server, asked at each request
 */
export async function startCountingProxy(target: () => URL): Promise<CountingProxy> {
  const counts = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = target();
    const { method = '', headers, url: path } = incoming;
    counts.set(method, (counts.get(method) ?? 0) + 1);
    const forwarded = request({ agent, hostname, port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
      response.once('error', () => outgoing.destroy());
    });
    forwarded.once('error', () => outgoing.destroy());
    incoming.once('error', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
