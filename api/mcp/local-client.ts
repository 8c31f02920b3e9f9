import {
  createServer,
  maxHeaderSize,
  request,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http';
import { duplexPair } from 'node:stream';
import type Koa from 'koa';

export interface LocalRequest {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body: string | undefined;
  /** Address of the client on whose behalf it is sent. */
  clientAddress: string;
  /** Disconnects. */
  signal: AbortSignal;
}

/** Sends a request and resolves to its response, whose body is to be read or destroyed. */
export type LocalClient = (sent: LocalRequest) => Promise<IncomingMessage>;

/**
 * A client of an application in the same process. Its requests use no network, and pass everything that requests from
 * outside pass.
 */
export function createLocalClient(app: Koa): LocalClient {
  let server: Server | undefined;
  return ({ method, path, headers, body, clientAddress, signal }) => {
    // The application may still be incomplete when its client is created.
    server ??= serve(app);
    const [clientSide, serverSide] = duplexPair();
    // Routes set a timeout for clients that read slowly; this one does not.
    const connection = Object.assign(serverSide, {
      remoteAddress: clientAddress,
      setTimeout: () => serverSide,
    });
    server.emit('connection', connection);
    // Otherwise the server would wait for a response to be taken that nobody reads to its end.
    clientSide.once('close', () => serverSide.destroy());
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { method, path, headers, signal, createConnection: () => clientSide };
    request(options, resolve).on('error', reject).end(body);
    return promise;
  };
}

function serve(app: Koa): Server {
  const answer = app.callback();
  // The headers of the client, which have passed a server with the default, and a path as long.
  return createServer(
    { maxHeaderSize: 2 * maxHeaderSize + 1024 },
    (received, response) => void answer(received, response),
  );
}
