import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/** A command is a few words; longer messages close the connection with 1009. */
const MAX_MESSAGE_BYTES = 4096;
/** How long a client may take to complete the closing handshake. */
const CLOSE_TIMEOUT_MS = 3000;
const GOING_AWAY = 1001;

/** The WebSocket connections of this process. */
export interface LiveSockets {
  /** Interval of pings and key checks. */
  readonly pingMs: number;
  /** Completes the handshake of an upgraded connection. */
  connect(request: IncomingMessage, upgrade: Upgrade): Promise<WebSocket>;
  /** Closes all connections with 1001, so that clients reconnect to another replica. */
  close(): void;
}

/** Listens on nothing itself: connections are passed in by the routes. */
export function createLiveSockets({ pingSeconds }: { pingSeconds: number }): LiveSockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });

  return {
    pingMs: pingSeconds * 1000,

    connect: (request, { socket, head }) =>
      new Promise((resolve) => server.handleUpgrade(request, socket, head, resolve)),

    close() {
      for (const socket of server.clients) {
        socket.close(GOING_AWAY, 'the server is going away');
        setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
      }
    },
  };
}

/** The connection of an upgrade request. */
interface Upgrade {
  socket: Duplex;
  /** Bytes of the new protocol that arrived with the request. */
  head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** For `shouldUpgradeCallback`: other upgrades, such as the h2c that curl offers, are handled as plain requests. */
export function isWebSocketRequest({ headers, method }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Passes WebSocket requests to the application, so that they are authenticated, refused and logged like all others. A
 * route takes over the connection with `takeUpgrade`; any other response is plain HTTP and closes it.
 */
export function serveUpgrades(
  server: Server,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): void {
  server.on('upgrade', (request, socket, head) => {
    // An unhandled error of a disconnecting client would end the process.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    // Node's servers pass a net.Socket, although the type is Duplex.
    response.assignSocket(socket as Socket);
    response.once('finish', () => socket.end());
    upgrades.set(request, { socket, head });
    void answer(request, response);
  });
}

/** Transfers the connection of an upgrade request to the caller; undefined for a plain request. */
export function takeUpgrade(request: IncomingMessage, response: ServerResponse): Upgrade | undefined {
  const upgrade = upgrades.get(request);
  upgrades.delete(request);
  if (upgrade) response.detachSocket(upgrade.socket as Socket);
  return upgrade;
}
