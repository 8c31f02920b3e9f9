import type { EntityManager } from '@mikro-orm/postgresql';
import type { UsageEvent } from '../../db/entities/usage/usage-event.ts';
import { hourOf } from '../../domain/usage/time.ts';
import { lockHoursForEvents } from './hour-locks.ts';

/**
 * Writes usage events in the caller's transaction. Those that were written before, by their id, are left as they are. An
 * hour that was rolled up before is noted, to be rolled up again.
 */
export async function insertUsageEvents(tx: EntityManager, events: readonly UsageEvent[]): Promise<void> {
  const hours = [...new Set(events.map(({ occurredAt }) => hourOf(occurredAt).getTime()))]
    .toSorted((a, b) => a - b)
    .map((time) => new Date(time));
  await lockHoursForEvents(tx, hours);
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
