import type { MikroORM } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Engine } from '../../temporal/client.ts';
import type { CountingProxy } from './counting-proxy.ts';
import type { CpuMeter } from './cpu-meter.ts';

/** What a stack has used so far, by name: CPU time in milliseconds, bytes, and counts. */
export type Costs = Readonly<Record<string, number>>;

/** The servers and processes that are read. */
export interface Sources {
  cpu: CpuMeter;
  requests: CountingProxy;
  orm: MikroORM;
  objects: ObjectStore;
  engine: Engine;
}

/** Costs that also arise while nothing happens, and of which the idle share is subtracted. */
const ALSO_IDLE = /^(cpu|requests|statements|transactions|WAL)\b/;
/** Workflows of the files themselves, not of maintenance. */
export const WORK = `WorkflowId NOT STARTS_WITH 'schedule/'`;

/** Makes Postgres count statements. Postgres must be restarted between this and `countStatements`. */
export async function preloadStatementCounter(orm: MikroORM): Promise<void> {
  await orm.em.fork().execute(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
}

/** Begins to count statements. */
export async function countStatements(orm: MikroORM): Promise<void> {
  await orm.em.fork().execute('create extension if not exists pg_stat_statements');
}

/** Reads all costs so far. */
export async function readCosts({ cpu, requests, orm, objects, engine }: Sources): Promise<Costs> {
  const times = Object.entries(cpu.read()).map(([role, ms]) => [`cpu ${role}`, ms]);
  const [database = {}] = await orm.em.fork().execute<Record<string, string>[]>(`
    select (select sum(calls) from pg_stat_statements where dbid = d.oid) as statements,
      (select xact_commit + xact_rollback from pg_stat_database where datid = d.oid) as transactions,
      pg_current_wal_lsn() - '0/0'::pg_lsn as "WAL bytes",
      pg_database_size(d.oid) as "database bytes",
      (select count(*) from document_chunks where embedding_status = 'completed') as "chunk vectors"
    from pg_database d where datname = current_database()`);
  const history = { workflows: 0, 'history events': 0, 'history bytes': 0, 'state transitions': 0 };
  for await (const { historyLength, raw } of engine.client.workflow.list({ query: WORK })) {
    history.workflows += 1;
    history['history events'] += historyLength;
    history['history bytes'] += Number(raw.historySizeBytes ?? 0);
    history['state transitions'] += Number(raw.stateTransitionCount ?? 0);
  }
  const stored = { objects: 0, 'object bytes': 0 };
  for await (const { sizeBytes } of objects.list('')) {
    stored.objects += 1;
    stored['object bytes'] += sizeBytes;
  }
  return {
    ...Object.fromEntries(times),
    ...Object.fromEntries(Object.entries(database).map(([name, value]) => [name, Number(value)])),
    ...Object.fromEntries([...requests.counts].map(([method, count]) => [`requests ${method}`, count])),
    ...history,
    ...stored,
  };
}

/** Costs between two readings. */
export function costsBetween(before: Costs, after: Costs): Costs {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]),
  );
}

/**
 * Costs of one unit of work.
 *
 * @param used    costs of all units, in `seconds`
 * @param idle    costs of each second without work
 */
export function costsOfOne(
  used: Costs,
  { units, seconds, idle }: { units: number; seconds: number; idle: Costs },
): Costs {
  return Object.fromEntries(
    Object.entries(used).map(([name, value]) => {
      const share = ALSO_IDLE.test(name) ? (idle[name] ?? 0) * seconds : 0;
      return [name, Math.max(0, value - share) / units];
    }),
  );
}
