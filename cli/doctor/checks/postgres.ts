import { TLSSocket } from 'node:tls';
import { databaseConfig, directDatabase, type DatabaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { pendingMigrations } from '../../../db/migrator.ts';
import { LEAST_POSTGRES } from '../../../db/postgres-version.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import {
  connectionRemedy,
  explainError,
  type Area,
  type Report,
  reportClock,
  isPrivateHost,
} from '../run-checks.ts';
import { poolsTransactions, type PgPool } from './pooler.ts';

/** The version that the tests use. */
const TESTED_MAJOR = 18;
const EXTENSIONS = ['pg_trgm', 'btree_gin', 'unaccent', 'fuzzystrmatch'];

interface ServerFacts {
  version: string;
  encoding: string;
  now: Date;
  maycreate: boolean;
  readonly: boolean;
  available: string[];
}

/** Checks the database: connection, TLS, pooler, version, encoding, permissions and migrations. */
export const postgres: Area = {
  name: 'Postgres',
  slices: [databaseConfig],
  async check(env, report) {
    const config = readConfig([databaseConfig], env);
    await withOrm(config, async (orm) => {
      const pool = (await orm.em.getConnection().getNativeClient()) as unknown as PgPool;
      await reportConnection(config.DATABASE_URL, pool, report);
      await reportPooler(config, pool, report);
    });
    const direct = directDatabase(config);
    await withOrm(direct, async (orm) => {
      try {
        await reportServer(orm, report);
      } catch (error) {
        if (config.DATABASE_DIRECT_URL === undefined) throw error;
        report.fail('direct', explainError(error), `DATABASE_DIRECT_URL: ${remedy(error)}`);
      }
    });
  },
  remedy,
};

async function reportConnection(url: string, pool: PgPool, report: Report): Promise<void> {
  const client = await pool.connect();
  try {
    const { stream } = client.connection;
    const { hostname, host, pathname } = new URL(url);
    report.ok('reachable', `${host}${pathname}`);
    if (stream instanceof TLSSocket) {
      const verified = stream.authorized ? 'certificate verified' : 'certificate not verified';
      report.ok('TLS', `${stream.getProtocol()}, ${verified}`);
    } else if (isPrivateHost(hostname)) report.ok('TLS', 'off, on a private address');
    else
      report.warn(
        'TLS',
        'off',
        'add ?sslmode=verify-full to DATABASE_URL, and sslrootcert=FILE for a private CA',
      );
  } finally {
    client.release();
  }
}

async function reportPooler(config: DatabaseConfig, pool: PgPool, report: Report): Promise<void> {
  const pooled = await poolsTransactions(pool);
  const direct = config.DATABASE_DIRECT_URL !== undefined;
  if (!pooled) report.ok('pooler', direct ? 'none detected at DATABASE_URL' : 'none, or in session mode');
  else if (direct)
    report.ok('pooler', 'in transaction mode; migrations and notifications go to DATABASE_DIRECT_URL');
  else {
    report.fail(
      'pooler',
      'in transaction mode',
      'set DATABASE_DIRECT_URL to the server itself, and migrate again',
    );
  }
}

async function reportServer(orm: Orm, report: Report): Promise<void> {
  const em = orm.em.fork();
  const asked = Date.now();
  const [facts] = await em.execute<ServerFacts[]>(
    `select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
       clock_timestamp() as now, has_schema_privilege(current_schema(), 'create') as maycreate,
       pg_is_in_recovery() as readonly,
       array(select name::text from pg_available_extensions where name = any(?)) as available`,
    [`{${EXTENSIONS.join(',')}}`],
  );
  if (!facts) return;
  const major = Number.parseInt(facts.version, 10);
  if (major >= TESTED_MAJOR) report.ok('version', facts.version);
  else if (major < LEAST_POSTGRES)
    report.fail('version', facts.version, `Darkroom needs Postgres ${LEAST_POSTGRES} or newer`);
  else
    report.warn(
      'version',
      facts.version,
      `Darkroom is tested with Postgres ${TESTED_MAJOR}; upgrade when you can`,
    );
  if (facts.encoding !== 'UTF8') {
    report.fail('encoding', facts.encoding, "create the database with encoding 'UTF8'");
  }
  reportClock(report, new Date(facts.now), asked);

  const pending = await pendingMigrations(em);
  const missing = EXTENSIONS.filter((name) => !facts.available.includes(name));
  if (facts.readonly) report.fail('writable', 'it is a standby', 'connect to the primary');
  else if (facts.maycreate) report.ok('rights', 'may create tables');
  else
    report.fail('rights', 'may not create tables', 'grant create on the schema to the role of DATABASE_URL');
  if (missing.length > 0 && pending.length > 0) {
    report.fail(
      'extensions',
      `${missing.join(', ')} cannot be installed`,
      'install the contrib package of Postgres',
    );
  }
  if (pending.length === 0) report.ok('migrations', 'none pending');
  else
    report.fail(
      'migrations',
      `${pending.length} pending`,
      'run node db/migrate.ts before the new version starts',
    );
}

/** Connects without session parameters: a pooler would reject the connection before any check could run. */
export async function withOrm(config: DatabaseConfig, use: (orm: Orm) => Promise<void>): Promise<void> {
  const orm = createOrm({ ...config, DATABASE_DIRECT_URL: config.DATABASE_URL, DATABASE_POOL_SIZE: 2 });
  try {
    await use(orm);
  } finally {
    await orm.close(true);
  }
}

function remedy(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === '28P01' || code === '28000') return 'check user, password and pg_hba.conf';
  if (code === '3D000') return 'create the database, or correct its name in the URL';
  if (message?.includes('does not support SSL'))
    return 'turn TLS on in the server, or use sslmode=disable in a private network';
  return connectionRemedy(error, 'sslrootcert of the URL, or NODE_EXTRA_CA_CERTS', 'check DATABASE_URL');
}
