import type { DriverException } from '@mikro-orm/core';
import type { EventEmitter } from 'node:events';

/** What is used of a client of `pg` that was taken out of its pool. */
interface Client extends EventEmitter {
  query: (...args: unknown[]) => unknown;
  /** Gives it back, or has it thrown away. */
  release: (discard?: boolean) => void;
}
type Connected = (error: Error | undefined, client: Client | undefined, release: Client['release']) => void;
interface Pool extends EventEmitter {
  connect(): Promise<Client>;
  connect(done: Connected): void;
}

/**
 * Makes up for what Kysely and MikroORM leave undone with a pool of `pg`:
 *
 * - A client whose connection has ended while somebody held it gives its place back. Where BEGIN or ROLLBACK fails on a
 *   dead connection, Kysely never releases the client: after as many transactions as the pool has places, cut off by a
 *   restart of Postgres, every query would wait for a place in vain.
 * - Whatever the pool or a client fails with is a DriverException, so that whoever catches an error can tell that it came
 *   from the database. MikroORM converts the errors of queries, but not those of beginning or ending a transaction.
 */
export function guardPool(pool: Pool, convert: (error: Error) => DriverException): void {
  const rethrow = (error: Error): never => {
    throw convert(error);
  };
  const connect = pool.connect.bind(pool);
  pool.connect = ((done?: Connected) => {
    if (done) return connect(done);
    return connect().then(holdUntilItEnds, rethrow);
  }) as Pool['connect'];
  pool.on('connect', (client: Client) => {
    const query = client.query.bind(client);
    client.query = (...args) => {
      const result = query(...args);
      // A cursor is returned as it is: MikroORM converts what fails while it is read.
      return result instanceof Promise ? result.catch(rethrow) : result;
    };
  });
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
