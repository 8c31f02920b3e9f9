import type { IncomingMessage } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Upgrade } from './upgrades.ts';

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
