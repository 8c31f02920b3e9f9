import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { USAGE_MONTHS } from '../../domain/limits.ts';
import type { UsageEventType } from '../../domain/operations.ts';
import { splitRange, type RollupState, type SplitRange } from '../../domain/usage/split-range.ts';
import { DAY_MS, monthOf, type TimeRange } from '../../domain/usage/periods.ts';
import { joinSql, sql, type Sql } from '../shared/sql.ts';
import { EVENTS_AS_ROLLUPS } from './roll-up.ts';

/** Which usage to read. */
export interface UsageFilter {
  tenantId: string;
  range: TimeRange;
  apiKeyId?: string | undefined;
  types?: readonly UsageEventType[] | undefined;
}

const NOTHING: TimeRange = { from: new Date(0), to: new Date(0) };
const COLUMNS = `type, subtype, endpoint, method, events, failed, duration_ms, input_tokens, output_tokens,
  cache_read_tokens, cache_creation_tokens, file_events, file_input_tokens, file_output_tokens`;

/**
 * The usage of a tenant as rows of rollups, and of events where there are none yet. To be summed up; columns as in
 * `usage_rollups`, and `at`.
 *
 * @param grain the coarsest rollup that the caller can use
 */
export async function usageRows(
  em: EntityManager,
  filter: UsageFilter,
  grain: 'hour' | 'day' = 'day',
): Promise<Sql> {
  return usageRowsSql(filter, splitRange(keptPart(filter.range), await readRollupState(em), grain));
}

/** The statement of `usageRows`. Each range has a branch of its own: an index takes one range, not one of several. */
export function usageRowsSql(filter: UsageFilter, { days, hours, events }: SplitRange): Sql {
  const parts = [
    ...days.map((range) => rollupsSql(filter, 'day', range)),
    ...hours.map((range) => rollupsSql(filter, 'hour', range)),
    ...events.map((range) => eventsSql(filter, range)),
  ];
  const [first = rollupsSql(filter, 'day', NOTHING), ...others] = parts;
  return others.reduce((all, part) => sql`${all} union all ${part}`, first);
}

/** The part of a range that can contain events. */
export function keptPart({ from, to }: TimeRange, now = new Date()): TimeRange {
  const [first, last] = [monthOf(now, -USAGE_MONTHS).getTime(), now.getTime() + DAY_MS];
  const clamp = (time: Date) => new Date(Math.min(last, Math.max(first, time.getTime())));
  return { from: clamp(from), to: clamp(to) };
}

async function readRollupState(em: EntityManager): Promise<RollupState> {
  const [state] = await em.execute<{ rolled_up_to: Date; late: Date[] | null }[]>(
    `select rolled_up_to, (select array_agg(starts_at) from late_usage_hours) as late from usage_rollup_state`,
  );
  return {
    rolledUpTo: new Date(state?.rolled_up_to ?? 0),
    lateHours: (state?.late ?? []).map((hour) => new Date(hour)),
  };
}

function rollupsSql(filter: UsageFilter, grain: 'hour' | 'day', range: TimeRange): Sql {
  return sql`select starts_at as at, ${raw(COLUMNS)} from usage_rollups
    where ${among(filter)} and grain = ${grain} and ${timeRangeSql('starts_at', range)}`;
}

function eventsSql(filter: UsageFilter, range: TimeRange): Sql {
  return sql`select occurred_at as at, ${raw(COLUMNS)} from (${raw(EVENTS_AS_ROLLUPS)}) as event
    where ${among(filter)} and ${timeRangeSql('occurred_at', range)}`;
}

function among({ tenantId, apiKeyId, types }: UsageFilter): Sql {
  return joinSql(
    [
      sql`tenant_id = ${tenantId}`,
      ...(apiKeyId === undefined ? [] : [sql`api_key_id = ${apiKeyId}`]),
      ...(types ? [typeIn(types)] : []),
    ],
    'and',
  );
}

/** Events of one of these types; none of an empty list. */
export function typeIn(types: readonly UsageEventType[]): Sql {
  if (types.length === 0) return sql`false`;
  return sql`type in (${joinSql(
    types.map((type) => sql`${type}`),
    ',',
  )})`;
}

/** The condition that a column lies within a range, end excluded. */
export function timeRangeSql(
  column: 'starts_at' | 'occurred_at' | 'created_at',
  { from, to }: TimeRange,
): Sql {
  return sql`${raw(column)} >= ${from.toISOString()}::timestamptz and ${raw(column)} < ${to.toISOString()}::timestamptz`;
}
