import type { EntityManager } from '@mikro-orm/postgresql';
import { LateUsageHour } from '../../db/entities/usage/late-usage-hour.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../domain/usage/periods.ts';
import { lockHourForRollup } from './insert-usage-events.ts';

/**
 * An hour is rolled up this long after its end: requests are written a second or two after they end, and later events
 * require another rollup of their hour.
 */
const GRACE_MS = 2 * 60_000;

/**
 * Rolls up the next hour that has ended, and its day if that has ended with it, in one transaction: after a crash, an
 * hour is rolled up wholly or not at all.
 *
 * @returns false when there is none
 */
export async function rollUpNextHour(em: EntityManager, now = new Date()): Promise<boolean> {
  return em.transactional(async (tx) => {
    const hour = await lockState(tx);
    const end = new Date(hour.getTime() + HOUR_MS);
    if (end.getTime() + GRACE_MS > now.getTime()) return false;
    await lockHourForRollup(tx, hour);
    await sumHour(tx, hour);
    if (dayOf(end).getTime() === end.getTime()) await sumDay(tx, dayOf(hour));
    await tx.execute('update usage_rollup_state set rolled_up_to = ?', [end]);
    return true;
  });
}

/**
 * Repeats the rollup of one hour that received events after it.
 *
 * @returns false when there is none
 */
export async function rollUpLateHour(em: EntityManager): Promise<boolean> {
  return em.transactional(async (tx) => {
    const rolledUpTo = await lockState(tx);
    const [late] = await tx.find(LateUsageHour, {}, { orderBy: { startsAt: 'asc' }, limit: 1 });
    if (!late) return false;
    const { startsAt: hour } = late;
    await lockHourForRollup(tx, hour);
    await tx.nativeDelete(LateUsageHour, { startsAt: hour });
    await sumHour(tx, hour);
    const day = dayOf(hour);
    if (day.getTime() + DAY_MS <= rolledUpTo.getTime()) await sumDay(tx, day);
    return true;
  });
}

/** One rollup at a time. @returns the hour up to which all are rolled up */
async function lockState(tx: EntityManager): Promise<Date> {
  const [state] = await tx.execute<{ rolled_up_to: Date }[]>(
    'select rolled_up_to from usage_rollup_state for update',
  );
  if (!state) throw new Error('usage_rollup_state has no row; the migration made one');
  return new Date(state.rolled_up_to);
}

/** The grouping columns of events; empty text stands for "none". */
const ALIKE = 'tenant_id, type, subtype, endpoint, method, api_key_id';
const SUMS = [
  'events',
  'failed',
  'duration_ms',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'file_events',
  'file_input_tokens',
  'file_output_tokens',
] as const;

/** Usage events in the columns of a rollup, one row for each. */
export const EVENTS_AS_ROLLUPS = `
  select tenant_id, occurred_at, type, coalesce(subtype, '') as subtype, coalesce(endpoint, '') as endpoint,
    coalesce(method, '') as method, coalesce(api_key_id, '') as api_key_id, 1 as events,
    (coalesce(status, 0) >= 400 or error_code is not null)::int as failed, duration_ms::bigint, input_tokens::bigint,
    output_tokens::bigint, cache_read_tokens::bigint, cache_creation_tokens::bigint,
    (file_id is not null and input_tokens + output_tokens > 0)::int as file_events,
    case when file_id is null then 0 else input_tokens end::bigint as file_input_tokens,
    case when file_id is null then 0 else output_tokens end::bigint as file_output_tokens
  from usage_events`;

async function sumHour(tx: EntityManager, hour: Date): Promise<void> {
  await tx.execute(`delete from usage_rollups where grain = 'hour' and starts_at = ?`, [hour]);
  await tx.execute(
    `insert into usage_rollups (grain, starts_at, ${ALIKE}, ${SUMS.join(', ')})
     select 'hour', ?::timestamptz, ${ALIKE}, ${SUMS.map((sum) => `sum(${sum})`).join(', ')}
     from (${EVENTS_AS_ROLLUPS} where occurred_at >= ? and occurred_at < ?) as event group by ${ALIKE}`,
    [hour, hour, new Date(hour.getTime() + HOUR_MS)],
  );
}

async function sumDay(tx: EntityManager, day: Date): Promise<void> {
  await tx.execute(`delete from usage_rollups where grain = 'day' and starts_at = ?`, [day]);
  await tx.execute(
    `insert into usage_rollups (grain, starts_at, ${ALIKE}, ${SUMS.join(', ')})
     select 'day', ?::timestamptz, ${ALIKE}, ${SUMS.map((sum) => `sum(${sum})`).join(', ')}
     from usage_rollups where grain = 'hour' and starts_at >= ? and starts_at < ? group by ${ALIKE}`,
    [day, day, new Date(day.getTime() + DAY_MS)],
  );
}
