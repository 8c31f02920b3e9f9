import { MikroORM, type EntityManager, type Options } from '@mikro-orm/postgresql';
import type { DatabaseConfig } from './config.ts';
import { ENTITIES } from './entities/index.ts';
import { guardPool } from './guard-pool.ts';

export type Orm = MikroORM;

/**
 * A hanging database must look unavailable, or every caller hangs with it. Queries of requests and steps take less than
 * a tenth of these; `query_timeout` is the client's own limit, for a server that does not respond at all.
 */
const TIMEOUTS = { connectionTimeoutMillis: 10_000, query_timeout: 25_000, keepAlive: true };
/** Server-enforced limits in milliseconds: session parameters. */
export const SESSION_TIMEOUTS = {
  statement_timeout: 20_000,
  lock_timeout: 15_000,
  idle_in_transaction_session_timeout: 120_000,
};
/** Lifts the limits that `db/migrate.ts` may have set for the role. */
const NO_SESSION_TIMEOUTS = Object.keys(SESSION_TIMEOUTS)
  .map((name) => `-c ${name}=0`)
  .join(' ');

/**
 * Configures the ORM. It connects on the first query, so a process boots while Postgres is down and reports that in its
 * health check.
 *
 * Behind a pooler in transaction mode, which refuses session parameters, the limits of the role apply; nothing else
 * here needs a session: locks belong to transactions, statements have no names.
 *
 * @param timeouts `none` for work whose duration grows with the tables
 * @param own      further options of the ORM
 */
export function createOrm(
  config: DatabaseConfig,
  timeouts: 'short' | 'none' = 'short',
  own: Partial<Options> = {},
): Orm {
  // Called on the first query, when `orm` is assigned.
  const guard = (pool: Parameters<typeof guardPool>[0]) =>
    guardPool(pool, (error) => orm.driver.convertException(error));
  const pooled = config.DATABASE_DIRECT_URL !== undefined;
  const orm: Orm = new MikroORM({
    clientUrl: config.DATABASE_URL,
    entities: ENTITIES,
    // Some stay open when idle, for reads on a full disk; see guard-pool.ts.
    pool: { min: 2, max: config.DATABASE_POOL_SIZE },
    driverOptions: {
      // MikroORM uses only host, user and database of its own URL; `pg` also reads the TLS settings.
      connectionString: config.DATABASE_URL,
      ...(timeouts === 'none' && { options: NO_SESSION_TIMEOUTS }),
      ...(timeouts === 'short' && { ...TIMEOUTS, ...(!pooled && SESSION_TIMEOUTS) }),
      onPoolCreated: guard,
    },
    forceUtcTimezone: true,
    ignoreUndefinedInQuery: false,
    ...own,
  });
  Object.assign(orm.em.getPlatform(), { escapeLiteral });
  return orm;
}

/**
 * A text as a literal of SQL. The ORM's own appends one character after the other, which takes ten times the memory of the
 * text, and more garbage than all else when pages of many rows are written.
 */
export function escapeLiteral(text: string): string {
  const escaped = `'${text.replaceAll("'", "''").replaceAll('\\', String.raw`\\`)}'`;
  return text.includes('\\') ? ` E${escaped}` : escaped;
}

/**
 * Stores the session time limits as defaults of the connected role in this database: through a pooler in transaction
 * mode, clients cannot set them for their own sessions.
 */
export async function limitRole(em: EntityManager): Promise<void> {
  await em.transactional(async (tx) => {
    // Concurrent changes of a role fail.
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('limit-role', 0))");
    for (const [name, milliseconds] of Object.entries(SESSION_TIMEOUTS)) {
      const alter = `alter role current_user in database %I set ${name} = ${milliseconds}`;
      await tx.execute(`do $$ begin execute format('${alter}', current_database()); end $$`);
    }
  });
}
