import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { fileURLToPath } from 'node:url';
import type { DatabaseConfig } from './config.ts';
import { ENTITIES } from './entities/index.ts';
import { guardPool } from './guard-pool.ts';
import { MIGRATIONS } from './migrations/index.ts';

export type Orm = MikroORM;

/**
 * A database that hangs must look like one that is away, or everything that waits for it hangs along. No query of
 * a request or a step takes a tenth of this; the client's own limit is for a server that does not even say no.
 */
const TIMEOUTS = {
  connectionTimeoutMillis: 10_000,
  statement_timeout: 20_000,
  lock_timeout: 15_000,
  query_timeout: 25_000,
  idle_in_transaction_session_timeout: 120_000,
  keepAlive: true,
};

/**
 * Opens the database. No connection is made until the first query, so a process boots while Postgres is down and
 * says so through its health check.
 *
 * @param timeouts `none` for migrations, which may take as long as the tables are large
 */
export function createOrm(config: DatabaseConfig, timeouts: 'short' | 'none' = 'short'): Orm {
  // Called with the first query, when there is an ORM.
  const guard = (pool: Parameters<typeof guardPool>[0]) =>
    guardPool(pool, (error) => orm.driver.convertException(error));
  const orm: Orm = new MikroORM({
    clientUrl: config.DATABASE_URL,
    entities: ENTITIES,
    pool: { min: 0, max: config.DATABASE_POOL_SIZE },
    driverOptions: { ...(timeouts === 'short' && TIMEOUTS), onPoolCreated: guard },
    forceUtcTimezone: true,
    ignoreUndefinedInQuery: false,
    extensions: [Migrator],
    migrations: {
      path: fileURLToPath(new URL('migrations', import.meta.url)),
      snapshotName: '.snapshot',
      snapshotOnMigrate: false,
      migrationsList: MIGRATIONS,
      emit: 'ts',
    },
  });
  return orm;
}
