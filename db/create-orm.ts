import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { fileURLToPath } from 'node:url';
import type { DatabaseConfig } from './config.ts';
import { ENTITIES } from './entities/index.ts';
import { MIGRATIONS } from './migrations/index.ts';

export type Orm = MikroORM;

/**
 * Opens the database. No connection is made until the first query, so a process boots while Postgres is down and
 * says so through its health check.
 */
export function createOrm(config: DatabaseConfig): Orm {
  return new MikroORM({
    clientUrl: config.DATABASE_URL,
    entities: ENTITIES,
    pool: { min: 0, max: config.DATABASE_POOL_SIZE },
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
}
