import type { EntityManager } from '@mikro-orm/postgresql';
import { UNLIMITED } from '../../domain/accounts/tiers.ts';
import type { UsageLevel, UsageOperation } from '../../domain/operations.ts';
import { monthOf } from '../../domain/usage/periods.ts';
import type { Principal } from '../accounts/principal.ts';
import { sql, type Sql } from '../shared/sql.ts';
import { readCreditUse, totalUse, type CreditUse } from './credit-use.ts';

const RECENT = 10;

export interface RecentOperation {
  occurredAt: Date;
  operation: UsageOperation;
  level: UsageLevel | null;
  /** 0 if they were refunded. */
  credits: number;
  endpoint: string | null;
  status: number | null;
}

export interface UsageBreakdown {
  uses: CreditUse[];
  used: number;
  limit: number;
  remaining: number;
  /** Newest first. */
  recent: RecentOperation[];
}

/** Credits of the current month by purpose. */
export async function readBreakdown(
  em: EntityManager,
  { tenantId, creditsPerMonth: limit }: Principal,
  now = new Date(),
): Promise<UsageBreakdown> {
  const uses = await readCreditUse(em, { tenantId, range: { from: monthOf(now), to: monthOf(now, 1) } });
  const used = totalUse(uses);
  const remaining = limit === UNLIMITED ? UNLIMITED : Math.max(0, limit - used);
  const rows = await em.execute<RecentRow[]>(recentOperationsSql(tenantId));
  const recent = rows.map(({ occurred_at: at, ...row }) => ({ ...row, occurredAt: new Date(at) }));
  return { uses, used, limit, remaining, recent };
}

interface RecentRow extends Omit<RecentOperation, 'occurredAt'> {
  occurred_at: Date;
}

/**
 * The ten are chosen before their reservations are looked up: otherwise the planner may hash all
 * reservations.
 */
export function recentOperationsSql(tenantId: string): Sql {
  return sql`select occurred_at, type as operation, subtype as level, endpoint, status,
      case when exists (
        select from credit_entries closed
        where closed.reservation_id = event.reservation_id and closed.closes and closed.kind = 'refund')
      then 0 else credits end as credits
    from (
      select * from usage_events where tenant_id = ${tenantId} and type <> 'request'
      order by occurred_at desc, id desc limit ${RECENT}) event
    order by occurred_at desc, id desc`;
}
