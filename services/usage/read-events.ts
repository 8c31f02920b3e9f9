import type { EntityManager } from '@mikro-orm/postgresql';
import { UsageEvent } from '../../db/entities/usage/usage-event.ts';
import { joinSql, sql, type Sql } from '../shared/sql.ts';
import { keptPart, typeIn, usageRows, timeRangeSql, type UsageFilter } from './usage-rows.ts';

export interface UsageEventPage {
  events: UsageEvent[];
  /** On all pages. */
  totalCount: number;
}

/** One page of a tenant's usage events, newest first. */
export async function listUsageEvents(
  em: EntityManager,
  filter: UsageFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<UsageEventPage> {
  const [counted] = await em.execute<{ count: string | null }[]>(
    sql`select sum(events) as count from (${await usageRows(em, filter)}) as used`,
  );
  const totalCount = Number(counted?.count ?? 0);
  if (offset >= totalCount) return { events: [], totalCount };
  const rows = await em.execute<Record<string, unknown>[]>(eventPageSql(filter, { limit, offset }));
  return { events: rows.map((row) => em.map(UsageEvent, row)), totalCount };
}

export function eventPageSql(
  { tenantId, range, apiKeyId, types }: UsageFilter,
  { limit, offset }: { limit: number; offset: number },
): Sql {
  const conditions = [
    sql`tenant_id = ${tenantId}`,
    timeRangeSql('occurred_at', keptPart(range)),
    ...(apiKeyId === undefined ? [] : [sql`api_key_id = ${apiKeyId}`]),
    ...(types ? [typeIn(types)] : []),
    // Matches the predicate of the operations index; a list of types would not.
    ...(types?.every((type) => type !== 'request') ? [sql`type <> 'request'`] : []),
  ];
  return sql`select * from usage_events where ${joinSql(conditions, 'and')}
    order by occurred_at desc, id desc limit ${limit} offset ${offset}`;
}
