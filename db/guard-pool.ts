import type { DriverException } from '@mikro-orm/core';
import type { EventEmitter } from 'node:events';

/** The members used of a `pg` client that is checked out of its pool. */
interface Client extends EventEmitter {
  query: (...args: unknown[]) => unknown;
  /** Returns it to the pool, or discards it. */
  release: (discard?: boolean) => void;
}
type Connected = (error: Error | undefined, client: Client | undefined, release: Client['release']) => void;
interface Pool extends EventEmitter {
  connect(): Promise<Client>;
  connect(done: Connected): void;
}

/**
 * Closes two gaps in how Kysely and MikroORM use a `pg` pool:
 *
 * - A client whose connection ends while it is checked out frees its slot. When BEGIN or ROLLBACK fails on a dead
 *   connection, Kysely never releases the client: once a restart of Postgres has cut off as many transactions as the
 *   pool has slots, every query would wait forever.
 * - Every error of the pool or a client is a DriverException, so that error handlers can recognise database errors.
 *   MikroORM converts the errors of queries, but not those of beginning or ending a transaction.
 */
export function guardPool(pool: Pool, convert: (error: Error) => DriverException): void {
  const rethrow = (error: Error): never => {
    throw convert(error);
  };
  const connect = pool.connect.bind(pool);
  pool.connect = ((done?: Connected) => {
    if (done) return connect(done);
    return connect().then(releaseOnEnd, rethrow);
  }) as Pool['connect'];
  pool.on('connect', (client: Client) => {
    const query = client.query.bind(client);
    client.query = (...args) => {
      const result = query(...args);
      // A cursor is returned unchanged: MikroORM converts errors while reading it.
      return result instanceof Promise ? result.catch(rethrow) : result;
    };
  });
}

function releaseOnEnd(client: Client): Client {
  const release = client.release.bind(client);
  let released = false;
  const releaseOnce = (discard?: boolean) => {
    if (released) return;
    released = true;
    client.off('end', onEnd);
    release(discard);
  };
  const onEnd = () => releaseOnce(true);
  client.once('end', onEnd);
  // The caller may release it as well, and pools reject a second release.
  client.release = releaseOnce;
  return client;
}
