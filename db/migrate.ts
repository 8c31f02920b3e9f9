import { readConfig } from '../domain/schemas/read-config.ts';
import { databaseConfig, directDatabase } from './config.ts';
import { createOrm, limitRole } from './create-orm.ts';
import { LEAST_POSTGRES } from './postgres-version.ts';

/** `node db/migrate.ts`: migrates the schema of the database. Safe to repeat and to run concurrently. */
const config = readConfig([databaseConfig], process.env);
const orm = createOrm(directDatabase(config), 'none');
try {
  const [server] = await orm.em.execute<{ major: number }[]>(
    "select current_setting('server_version_num')::int / 10000 as major",
  );
  if (server && server.major < LEAST_POSTGRES) {
    throw new Error(
      `Darkroom needs Postgres ${LEAST_POSTGRES} or newer, and this is Postgres ${server.major}`,
    );
  }
  const done = await orm.migrator.up();
  console.log(done.length > 0 ? `Applied ${done.length} migration(s).` : 'Schema is up to date.');
  if (config.DATABASE_DIRECT_URL !== undefined) {
    await limitRole(orm.em.fork());
    console.log('Set the time limits of the role, for connections through the pooler.');
  }
} finally {
  await orm.close(true);
}
