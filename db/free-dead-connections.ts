import type { EventEmitter } from 'node:events';

/** What is used of a client of `pg` that was taken out of its pool. */
interface Client extends EventEmitter {
  /** Gives it back, or has it thrown away. */
  release: (discard?: boolean) => void;
}
type Connected = (error: Error | undefined, client: Client | undefined, release: Client['release']) => void;
interface Pool {
  connect(): Promise<Client>;
  connect(done: Connected): void;
}

/**
 * Makes a pool of `pg` take back the place of a client whose connection has ended while somebody held it.
 *
 * Kysely does not: where BEGIN or ROLLBACK fails on a dead connection, it never releases the client. After as many
 * transactions as the pool has places, cut off by a restart of Postgres, every query would wait for a place in vain.
 */
export function freeDeadConnections(pool: Pool): void {
  const connect = pool.connect.bind(pool);
  pool.connect = ((done?: Connected) => {
    if (done) return connect(done);
    return connect().then(holdUntilItEnds);
  }) as Pool['connect'];
}

function holdUntilItEnds(client: Client): Client {
  const release = client.release.bind(client);
  let held = true;
  const letGo = (discard?: boolean) => {
    if (!held) return;
    held = false;
    client.off('end', onEnd);
    release(discard);
  };
  const onEnd = () => letGo(true);
  client.once('end', onEnd);
  // The holder may come to it as well, and pools take a second release for a mistake.
  client.release = letGo;
  return client;
}
