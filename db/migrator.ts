import { Migrator } from '@mikro-orm/migrations';
import type { EntityManager } from '@mikro-orm/postgresql';
import { fileURLToPath } from 'node:url';
import { pendingFunctions } from './apply-functions.ts';
import type { DatabaseConfig } from './config.ts';
import { createOrm, type Orm } from './create-orm.ts';
import { MIGRATIONS } from './migrations/index.ts';

/** An ORM with its `migrator`, which the API and the workers do not load, and without time limits. */
export function createMigratingOrm(config: DatabaseConfig): Orm {
  return createOrm(config, 'none', {
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

/** Names of the migrations that the database lacks, or else of its functions. Unlike the migrator's own list, it writes nothing. */
export async function pendingMigrations(em: EntityManager): Promise<string[]> {
  const names = MIGRATIONS.map(({ name }) => name);
  const [found] = await em.execute<{ exists: boolean }[]>(
    "select to_regclass('mikro_orm_migrations') is not null as exists",
  );
  if (!found?.exists) return names;
  const applied = await em.execute<{ name: string }[]>('select name from mikro_orm_migrations');
  const known = new Set(applied.map(({ name }) => name));
  const missing = names.filter((name) => !known.has(name));
  return missing.length > 0 ? missing : pendingFunctions(em);
}
