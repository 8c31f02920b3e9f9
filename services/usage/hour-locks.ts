import type { EntityManager } from '@mikro-orm/postgresql';
import { HOUR_MS } from '../../domain/usage/time.ts';

/** First key of the advisory locks on hours; the second is the hour, counted since 1970. */
const LOCK_CLASS = 1_970_001;

/** Makes a rollup of these hours wait for the transaction, which is about to write events of them. */
export async function lockHoursForEvents(tx: EntityManager, hours: readonly Date[]): Promise<void> {
  await tx.execute(
    `select ${hours.map(() => 'pg_advisory_xact_lock_shared(?, ?)').join(', ')}`,
    hours.flatMap((hour) => [LOCK_CLASS, keyOf(hour)]),
  );
}

/** Waits for the transactions that write events of an hour, and makes later ones wait for this one. */
export async function lockHourForRollup(tx: EntityManager, hour: Date): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(?, ?)', [LOCK_CLASS, keyOf(hour)]);
}

function keyOf(hour: Date): number {
  return hour.getTime() / HOUR_MS;
}
