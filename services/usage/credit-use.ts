import type { EntityManager } from '@mikro-orm/postgresql';
import type { UsageLevel, UsageOperation } from '../../domain/operations.ts';
import { splitRange } from '../../domain/usage/split-range.ts';
import type { TimeRange } from '../../domain/usage/periods.ts';
import { sql, type Sql } from '../shared/sql.ts';
import { keptPart, timeRangeSql } from './usage-rows.ts';

/** Credits of the ledger that were reserved for one kind of operation, and not refunded. */
export interface CreditUse {
  operation: UsageOperation;
  /** Null for operations that have no levels. */
  level: UsageLevel | null;
  credits: number;
}

export interface CreditFilter {
  tenantId: string;
  range: TimeRange;
  apiKeyId?: string | undefined;
}

/** Sums of hours are written with the ledger, so none is ever missing or late. */
const ALL_SUMMED = { rolledUpTo: new Date(8.64e15), lateHours: [] };

/** A tenant's credits in a time range by purpose: whole hours from sums, the rest from the ledger. */
export async function readCreditUse(em: EntityManager, filter: CreditFilter): Promise<CreditUse[]> {
  const rows = await em.execute<{ operation: UsageOperation; level: UsageLevel | ''; credits: string }[]>(
    creditUseSql(filter),
  );
  return rows.map(({ operation, level, credits }) => ({
    operation,
    level: level === '' ? null : level,
    credits: Number(credits),
  }));
}

export function creditUseSql(filter: CreditFilter): Sql {
  const range = keptPart(filter.range);
  const { hours, events } = splitRange(range, ALL_SUMMED, 'hour');
  const parts = [
    ...hours.map((part) => hoursSql(filter, part)),
    ...events.map((part) => entriesSql(filter, part)),
  ];
  const [first = hoursSql(filter, range), ...others] = parts;
  const rows = others.reduce((all, part) => sql`${all} union all ${part}`, first);
  return sql`select operation, level, sum(credits) as credits from (${rows}) as used group by operation, level`;
}

function hoursSql({ tenantId, apiKeyId }: CreditFilter, range: TimeRange): Sql {
  return sql`select operation, level, credits from credit_hours
    where tenant_id = ${tenantId} and ${timeRangeSql('starts_at', range)} ${ofKey(apiKeyId)}`;
}

function entriesSql({ tenantId, apiKeyId }: CreditFilter, range: TimeRange): Sql {
  return sql`select charge.operation, coalesce(charge.level, '') as level, charge.credits
    from credit_entries opened, jsonb_to_recordset(charges) as charge (operation text, level text, credits int)
    where tenant_id = ${tenantId} and ${timeRangeSql('created_at', range)} ${ofKey(apiKeyId)} and not closes and not exists (
      select from credit_entries closed
      where closed.reservation_id = opened.reservation_id and closed.closes and closed.kind = 'refund')`;
}

function ofKey(apiKeyId: string | undefined): Sql {
  return apiKeyId === undefined ? sql`` : sql`and api_key_id = ${apiKeyId}`;
}

export function totalUse(uses: readonly CreditUse[]): number {
  return uses.reduce((sum, { credits }) => sum + credits, 0);
}
