import type { DriverException } from '@mikro-orm/core';
import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import { traced } from '../domain/tracing.ts';
import { beginWithStatement } from './begin-with-statement.ts';
import { ENTITIES } from './entities/index.ts';

/** The members used of a `pg` client that is checked out of its pool. */
interface Client extends EventEmitter {
  query: (...args: unknown[]) => unknown;
  /** Returns it to the pool, or discards it. */
  release: (discard?: boolean) => void;
}
type Connected = (error: Error | undefined, client: Client | undefined, release: Client['release']) => void;
interface Pool extends EventEmitter {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
  connect(): Promise<Client>;
  connect(done: Connected): void;
}

/** SQLSTATE disk_full. */
export const DISK_FULL = '53100';
/** As long as the pool waits for a connection that is in use. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;

/** The pools of this process; those of a closed ORM are empty. */
const pools = new Set<Pool>();

const connections = new Gauge({
  name: 'darkroom_database_connections',
  help: 'Connections of this process to Postgres that are in use or idle, and callers that wait for one',
  labelNames: ['state'],
  collect() {
    const sum = (countOf: (pool: Pool) => number) =>
      [...pools].reduce((total, pool) => total + countOf(pool), 0);
    connections.set(
      { state: 'used' },
      sum(({ totalCount, idleCount }) => totalCount - idleCount),
    );
    connections.set(
      { state: 'idle' },
      sum(({ idleCount }) => idleCount),
    );
    connections.set(
      { state: 'waiting' },
      sum(({ waitingCount }) => waitingCount),
    );
  },
});

/**
 * Traces each statement, and closes three gaps in how Kysely and MikroORM use a `pg` pool:
 *
 * - A client whose connection ends while it is checked out frees its slot. When BEGIN or ROLLBACK fails on a dead
 *   connection, Kysely never releases the client: once a restart of Postgres has cut off as many transactions as the
 *   pool has slots, every query would wait forever.
 * - Every error of the pool or a client is a DriverException, so that error handlers can recognise database errors.
 *   MikroORM converts the errors of queries, but not those of beginning or ending a transaction.
 * - While the disk is full, Postgres cannot open connections once it has to rewrite the cache that they read first. The
 *   pool fails with the new connection; here the caller waits for one that is open.
 */
export function guardPool(pool: Pool, convert: (error: Error) => DriverException): void {
  pools.add(pool);
  const rethrow = (error: Error): never => {
    throw convert(error);
  };
  const connect = pool.connect.bind(pool);
  pool.connect = ((done?: Connected) => {
    if (done) return connect(done);
    return connectOrWait().then(releaseOnEnd, rethrow);
  }) as Pool['connect'];
  async function connectOrWait(): Promise<Client> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
      try {
        return await connect();
      } catch (error) {
        if ((error as { code?: string }).code !== DISK_FULL || Date.now() > deadline) throw error;
      }
    }
  }
  pool.on('connect', (client: Client) => {
    const query = beginWithStatement(client.query.bind(client));
    client.query = (...args) => {
      const text = textOf(args);
      // A cursor is returned unchanged: MikroORM converts errors while reading it.
      if (text === undefined) return query(...args);
      return traced(
        () => nameOf(text),
        () => (query(...args) as Promise<unknown>).catch(rethrow),
      );
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

const TABLES: ReadonlySet<string> = new Set(ENTITIES.map(({ meta }) => meta.tableName));

/** The statement of a call that returns a promise: without a callback, and no cursor. */
function textOf([statement, ...rest]: unknown[]): string | undefined {
  if (rest.some((one) => typeof one === 'function')) return undefined;
  if (typeof statement === 'string') return statement;
  const { text, submit } = statement as { text?: unknown; submit?: unknown };
  return typeof text === 'string' && submit === undefined ? text : undefined;
}

/** How much of a statement is looked at: more than any has before its first table. */
const LOOKED_AT = 2000;

/**
 * The verb of a statement and the first of our tables in it, such as `postgres select files`. No other word is taken: MikroORM
 * writes values into the text.
 */
function nameOf(text: string): string {
  const start = text.slice(0, LOOKED_AT);
  const [verb = 'statement'] = /[a-z]+/i.exec(start) ?? [];
  const words = Array.from(start.matchAll(/\b(?:from|into|update)\s+"?([a-z_]+)/gi), ([, word = '']) => word);
  const table = words.find((word) => TABLES.has(word));
  return ['postgres', verb.toLowerCase(), table].filter(Boolean).join(' ');
}
