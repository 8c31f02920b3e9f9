import { applyFunctions } from './apply-functions.ts';
import { databaseConfig, directDatabase } from './config.ts';
import { limitRole } from './create-orm.ts';
import { createMigratingOrm } from './migrator.ts';
import { LEAST_POSTGRES } from './postgres-version.ts';
import { readConfig } from '../domain/schemas/read-config.ts';

const DEADLOCK_DETECTED = '40P01';
const MOST_ATTEMPTS = 10;

/**
 * Migrates the schema of the database in the environment, and sets the time limits of its role behind a pooler. Safe to
 * repeat and to run concurrently.
 *
 * @returns lines for the operator
 * @throws Error if the server is too old
 */
export async function migrateSchema(env: NodeJS.ProcessEnv): Promise<string[]> {
  const config = readConfig([databaseConfig], env);
  const orm = createMigratingOrm(directDatabase(config));
  try {
    const [server] = await orm.em.execute<{ major: number }[]>(
      "select current_setting('server_version_num')::int / 10000 as major",
    );
    if (server && server.major < LEAST_POSTGRES) {
      throw new Error(
        `Darkroom needs Postgres ${LEAST_POSTGRES} or newer, and this is Postgres ${server.major}`,
      );
    }
    const { length } = await despiteDeadlocks(() => orm.migrator.up());
    const functions = await despiteDeadlocks(() => applyFunctions(orm.em.fork()));
    const done =
      length + functions.length > 0
        ? `Applied ${length} migration(s) and ${functions.length} file(s) of functions.`
        : 'Schema is up to date.';
    if (config.DATABASE_DIRECT_URL === undefined) return [done];
    await limitRole(orm.em.fork());
    return [done, 'Set the time limits of the role, for connections through the pooler.'];
  } finally {
    await orm.close(true);
  }
}

/** The version before answers requests meanwhile, and all migrations are one transaction, which collects locks. */
async function despiteDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isDeadlock(error) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === DEADLOCK_DETECTED) || isDeadlock(error.cause);
}
