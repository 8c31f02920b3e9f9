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
  /** Address of the client on whose behalf the request is sent. */
  clientAddress: string;
  /** Disconnects when aborted. */
  signal: AbortSignal;
}

/** Sends a request and resolves to its response, whose body must be read or destroyed. */
export type LocalClient = (sent: LocalRequest) => Promise<IncomingMessage>;

/**
 * A client of an application in the same process. Its requests use no network and pass through the same
 * middleware as requests from outside.
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
    // Otherwise the server would wait forever for the rest of an abandoned response to be read.
    clientSide.once('close', () => serverSide.destroy());
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { method, path, headers, signal, createConnection: () => clientSide };
    request(options, resolve).on('error', reject).end(body);
    return promise;
  };
}

function serve(app: Koa): Server {
  const answer = app.callback();
  // Room for the headers of the caller, which were accepted with the default limit, and a path of the same
  // size.
  return createServer(
    { maxHeaderSize: 2 * maxHeaderSize + 1024 },
    (received, response) => void answer(received, response),
  );
}
