import type { EntityManager } from '@mikro-orm/postgresql';
import type { UsageEvent } from '../../db/entities/usage/usage-event.ts';
import { hourOf, HOUR_MS } from '../../domain/usage/periods.ts';

/** First key of the advisory locks on hours; the second is the hour, counted since 1970. */
const LOCK_CLASS = 1_970_001;

/**
 * Writes usage events in the caller's transaction. Those that were written before, by their id, are left as they are. An
 * hour that was rolled up before is noted, to be rolled up again.
 */
export async function insertUsageEvents(tx: EntityManager, events: readonly UsageEvent[]): Promise<void> {
  const hours = [...new Set(events.map(({ occurredAt }) => hourOf(occurredAt).getTime()))]
    .toSorted((a, b) => a - b)
    .map((time) => new Date(time));
  const ids = events.flatMap(({ type, id }) => (type === 'request' ? [] : [id])).toSorted();
  await lockForEvents(tx, ids, hours);
  // A statement of its own: it must see what was committed while the locks were waited for.
  await tx.execute(
    `with late as (
       insert into late_usage_hours (starts_at)
       select starts_at from jsonb_array_elements_text(?::jsonb) as hour, cast(hour as timestamptz) as starts_at
       where starts_at < (select rolled_up_to from usage_rollup_state)
       on conflict do nothing)
     insert into usage_events select event.* from jsonb_populate_recordset(null::usage_events, ?::jsonb) as event
     where event.type = 'request' or not exists (
       select from usage_events known where known.id = event.id and known.type <> 'request')
     on conflict do nothing`,
    [JSON.stringify(hours), JSON.stringify(events.map(toRow))],
  );
}

function toRow(event: UsageEvent): Record<string, unknown> {
  return {
    occurred_at: event.occurredAt,
    id: event.id,
    tenant_id: event.tenantId,
    type: event.type,
    subtype: event.subtype,
    endpoint: event.endpoint,
    method: event.method,
    status: event.status,
    duration_ms: event.durationMs,
    error_code: event.errorCode,
    provider: event.provider,
    model: event.model,
    input_tokens: event.inputTokens,
    output_tokens: event.outputTokens,
    thinking_tokens: event.thinkingTokens,
    cache_read_tokens: event.cacheReadTokens,
    cache_creation_tokens: event.cacheCreationTokens,
    credits: event.credits,
    reservation_id: event.reservationId,
    file_id: event.fileId,
    api_key_id: event.apiKeyId,
    user_id: event.userId,
  };
}

/**
 * Makes a rollup of these hours wait for the transaction, which is about to write events of them, and another transaction
 * with an operation of these ids, which then sees this one's.
 */
async function lockForEvents(
  tx: EntityManager,
  ids: readonly string[],
  hours: readonly Date[],
): Promise<void> {
  const locks = [
    ...ids.map(() => 'pg_advisory_xact_lock(hashtextextended(?, 0))'),
    ...hours.map(() => 'pg_advisory_xact_lock_shared(?, ?)'),
  ];
  await tx.execute(`select ${locks.join(', ')}`, [
    ...ids,
    ...hours.flatMap((hour) => [LOCK_CLASS, keyOf(hour)]),
  ]);
}

/** Waits for the transactions that write events of an hour, and makes later ones wait for this one. */
export async function lockHourForRollup(tx: EntityManager, hour: Date): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(?, ?)', [LOCK_CLASS, keyOf(hour)]);
}

function keyOf(hour: Date): number {
  return hour.getTime() / HOUR_MS;
}
