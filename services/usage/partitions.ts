import type { EntityManager } from '@mikro-orm/postgresql';
import { USAGE_MONTHS } from '../../domain/limits.ts';
import { monthOf } from '../../domain/usage/periods.ts';

/** Partitions are made so many months ahead. */
const MONTHS_AHEAD = 3;
/** The default partition; empty unless monthly partitions were not created in time. */
const DEFAULT = 'usage_events_default';

/**
 * Makes the partitions of this month and the next ones. Events written before their partition existed move from the
 * default one into it.
 *
 * @returns the names of those that were made
 */
export async function createUsagePartitions(em: EntityManager, now = new Date()): Promise<string[]> {
  const made: string[] = [];
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const month = monthOf(now, ahead);
    if (await createPartition(em, month)) made.push(partitionOf(month));
  }
  return made;
}

/**
 * Drops the partitions, and removes the rollups, of months past their retention.
 *
 * @returns the names of the partitions that were dropped
 */
export async function dropOldUsage(em: EntityManager, now = new Date()): Promise<string[]> {
  const oldest = monthOf(now, -USAGE_MONTHS);
  const names = await partitions(em);
  const old = names.filter((name) => name !== DEFAULT && name < partitionOf(oldest));
  for (const name of old) {
    await em.transactional(async (tx) => {
      await lockPartitions(tx);
      await tx.execute(`drop table if exists "${name}"`);
    });
  }
  await em.execute(`delete from ${DEFAULT} where occurred_at < ?`, [oldest]);
  await em.execute('delete from usage_rollups where starts_at < ?', [oldest]);
  await em.execute('delete from late_usage_hours where starts_at < ?', [oldest]);
  return old;
}

async function createPartition(em: EntityManager, month: Date): Promise<boolean> {
  const name = partitionOf(month);
  return em.transactional(async (tx) => {
    await lockPartitions(tx);
    if ((await partitions(tx)).includes(name)) return false;
    const range = [month, monthOf(month, 1)];
    // Attaching one that was made apart lets events be written meanwhile; creating it in place does not.
    await tx.execute(
      `create table "${name}" (like usage_events including defaults including constraints including indexes)`,
    );
    await tx.execute(
      `with early as (delete from ${DEFAULT} where occurred_at >= ? and occurred_at < ? returning *)
       insert into "${name}" select * from early`,
      range,
    );
    const [from, to] = range.map((edge) => `'${edge.toISOString()}'`);
    await tx.execute(
      `alter table usage_events attach partition "${name}" for values from (${from}) to (${to})`,
    );
    return true;
  });
}

/** Serializes creating and dropping partitions. */
async function lockPartitions(tx: EntityManager): Promise<void> {
  await tx.execute(`select pg_advisory_xact_lock(hashtextextended('usage_events partitions', 0))`);
}

async function partitions(em: EntityManager): Promise<string[]> {
  const rows = await em.execute<{ name: string }[]>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_events'::regclass`,
  );
  return rows.map(({ name }) => name);
}

function partitionOf(month: Date): string {
  return `usage_events_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}
