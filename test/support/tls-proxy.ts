import { once } from 'node:events';
import { connect as connectHttp2, createSecureServer, constants, type ServerHttp2Session } from 'node:http2';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Certificate } from './certificates.ts';

export interface TlsProxy {
  port: number;
  stop(): Promise<void>;
}

/**
 * Starts a proxy that terminates TLS in front of a server on loopback, as a managed service does.
 *
 * @param options `clientAuthority` must have signed the certificates of clients, which otherwise need none; `port` to
 *   listen on, any free one by default
 */
export async function startTlsProxy(
  targetPort: number,
  { cert, key }: Certificate,
  { clientAuthority, port = 0 }: { clientAuthority?: string; port?: number } = {},
): Promise<TlsProxy> {
  const sockets = new Set<Socket>();
  const server = createServer(
    {
      cert,
      key,
      ALPNProtocols: ['h2', 'http/1.1'],
      ...(clientAuthority !== undefined && {
        ca: clientAuthority,
        requestCert: true,
        rejectUnauthorized: true,
      }),
    },
    (client) => {
      const target = connect(targetPort, '127.0.0.1');
      for (const [one, other] of [
        [client, target],
        [target, client],
      ] as const) {
        sockets.add(one);
        one.on('error', () => other.destroy()).on('close', () => sockets.delete(one));
        one.pipe(other);
      }
    },
  ).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts such a proxy for gRPC, which answers UNAUTHENTICATED to calls without the API key. */
export async function startGrpcGateway(
  targetPort: number,
  { cert, key }: Certificate,
  apiKey: string,
): Promise<TlsProxy> {
  const target = connectHttp2(`http://127.0.0.1:${targetPort}`);
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer({ cert, key }).listen(0, '127.0.0.1');
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (headers.authorization !== `Bearer ${apiKey}`) {
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': '16',
          'grpc-message': 'no such key',
        },
        { endStream: true },
      );
      return;
    }
    const call = target.request({ ...headers, ':scheme': 'http' });
    call.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    stream.on('close', () => call.close());
    call.on('response', (answer, flags) => {
      if (stream.destroyed) return;
      const ends = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(answer, ends ? { endStream: true } : { waitForTrailers: true });
      if (ends) return;
      let trailers = {};
      call.on('trailers', (given) => (trailers = given));
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      call.pipe(stream);
    });
    stream.pipe(call);
  });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      target.destroy();
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
