import type { EntityManager } from '@mikro-orm/postgresql';
import { MIGRATIONS } from './migrations/index.ts';

/** Names of the migrations that the database lacks. Unlike the migrator's own list, it writes nothing. */
export async function pendingMigrations(em: EntityManager): Promise<string[]> {
  const names = MIGRATIONS.map(({ name }) => name);
  const [found] = await em.execute<{ exists: boolean }[]>(
    "select to_regclass('mikro_orm_migrations') is not null as exists",
  );
  if (!found?.exists) return names;
  const applied = await em.execute<{ name: string }[]>('select name from mikro_orm_migrations');
  const known = new Set(applied.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}
