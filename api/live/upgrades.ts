import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/** What a request to switch protocols brings beside itself. */
export interface Upgrade {
  socket: Duplex;
  /** The first bytes of the new protocol, if they were quick. */
  head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** For `shouldUpgradeCallback`: other upgrades, such as the h2c that curl offers, are plain requests to us. */
export function isWebSocketRequest({ headers, method }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Serves requests for a WebSocket by the application itself, so that they are authenticated, refused and logged like all
 * others. A route takes the connection over by `takeUpgrade`; whatever else answers, answers by HTTP and closes.
 */
export function serveUpgrades(
  server: Server,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): void {
  server.on('upgrade', (request, socket, head) => {
    // A client that breaks off must not be a crash.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    // Servers of Node give every listener a net.Socket.
    response.assignSocket(socket as Socket);
    response.once('finish', () => socket.end());
    upgrades.set(request, { socket, head });
    void answer(request, response);
  });
}

/** The connection behind a request, which is the caller's from now on; undefined for a plain request. */
export function takeUpgrade(request: IncomingMessage, response: ServerResponse): Upgrade | undefined {
  const upgrade = upgrades.get(request);
  upgrades.delete(request);
  if (upgrade) response.detachSocket(upgrade.socket as Socket);
  return upgrade;
}
