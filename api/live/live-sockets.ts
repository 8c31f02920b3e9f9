import type { IncomingMessage } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Upgrade } from './upgrades.ts';

/** A command is a few words; longer messages close the connection with 1009. */
const MAX_MESSAGE_BYTES = 4096;
/** How long a client may take to confirm that it is told to go. */
const FAREWELL_MS = 3000;
const GOING_AWAY = 1001;

/** The WebSocket connections of this process. */
export interface LiveSockets {
  /** Between two signs of life that are asked of each client, and two looks at its key. */
  readonly pingMs: number;
  /** Completes the handshake of a connection that was taken over. */
  connect(request: IncomingMessage, upgrade: Upgrade): Promise<WebSocket>;
  /** Tells everybody to come back elsewhere. */
  close(): void;
}

/** Opens nothing by itself: connections come by the routes. */
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
        setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
      }
    },
  };
}
