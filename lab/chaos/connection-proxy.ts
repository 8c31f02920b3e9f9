import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback. */
export interface ConnectionProxy {
  port: number;
  /** Breaks all connections, and new ones until `restore`. */
  interrupt(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function startConnectionProxy(target: { host: string; port: number }): Promise<ConnectionProxy> {
  const open = new Set<Socket>();
  let isInterrupted = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isInterrupted) return void client.resetAndDestroy();
    const upstream = connect({ ...target, allowHalfOpen: true });
    join(client, upstream);
    join(upstream, client);
    client.pipe(upstream).pipe(client);
    return undefined;
  });

  function join(socket: Socket, other: Socket): void {
    open.add(socket);
    // An error is followed by `close`.
    socket
      .on('error', () => undefined)
      .on('close', () => {
        open.delete(socket);
        other.destroy();
      });
  }

  function breakAll(): void {
    for (const socket of open) socket.resetAndDestroy();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    interrupt() {
      isInterrupted = true;
      breakAll();
    },
    restore: () => void (isInterrupted = false),
    async close() {
      const closed = once(server, 'close');
      server.close();
      breakAll();
      await closed;
    },
  };
}
