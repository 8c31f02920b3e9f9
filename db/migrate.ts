import { readConfig } from '../domain/schemas/read-config.ts';
import { databaseConfig } from './config.ts';
import { createOrm } from './create-orm.ts';

/** `node db/migrate.ts`: migrates the schema of DATABASE_URL. Safe to repeat and to run concurrently. */
const orm = createOrm(readConfig([databaseConfig], process.env), 'none');
try {
  const done = await orm.migrator.up();
  console.log(done.length > 0 ? `Applied ${done.length} migration(s).` : 'Schema is up to date.');
} finally {
  await orm.close(true);
}
