import type { IncomingMessage } from 'node:http';
import { Gauge } from 'prom-client';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { MAX_LIVE_CONNECTIONS } from '../../domain/limits.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Upgrade } from './upgrades.ts';

/** A command is a few words; longer messages close the connection with 1009. */
const MAX_MESSAGE_BYTES = 4096;
/** How long a client may take to confirm that it is told to go. */
const FAREWELL_MS = 3000;
const RETRY_AFTER_SECONDS = 30;
const GOING_AWAY = 1001;

const connections = new Gauge({ name: 'darkroom_live_connections', help: 'Open WebSocket connections' });

/** The WebSocket connections of this process. */
export interface LiveSockets {
  /** Between two signs of life that are asked of each client, and two looks at its key. */
  readonly pingMs: number;
  /**
   * Keeps a place for a connection of the tenant.
   *
   * @returns what completes its handshake and gives the place back when it closes
   * @throws Refusal TOO_MANY_CONNECTIONS
   */
  admit(tenantId: string): (request: IncomingMessage, upgrade: Upgrade) => Promise<WebSocket>;
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
  const held = new Map<string, number>();

  function release(tenantId: string): void {
    const left = (held.get(tenantId) ?? 1) - 1;
    if (left > 0) held.set(tenantId, left);
    else held.delete(tenantId);
    connections.dec();
  }

  return {
    pingMs: pingSeconds * 1000,

    admit(tenantId) {
      const before = held.get(tenantId) ?? 0;
      if (before >= MAX_LIVE_CONNECTIONS) {
        throw new Refusal('TOO_MANY_CONNECTIONS', `there are ${before} live connections of this account`, {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      }
      return (request, { socket, head }) => {
        held.set(tenantId, (held.get(tenantId) ?? 0) + 1);
        connections.inc();
        socket.once('close', () => release(tenantId));
        return new Promise((resolve) => server.handleUpgrade(request, socket, head, resolve));
      };
    },

    close() {
      for (const socket of server.clients) {
        socket.close(GOING_AWAY, 'the server is going away');
        setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
      }
    },
  };
}
