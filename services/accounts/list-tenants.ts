import type { EntityManager } from '@mikro-orm/postgresql';
import { creditMonth } from '../../domain/accounts/credits.ts';
import { limitsOf, type Tier, type TenantLimits } from '../../domain/accounts/tiers.ts';

export interface TenantSummary extends TenantLimits {
  id: string;
  name: string;
  tier: Tier;
  isActive: boolean;
  isDeleted: boolean;
  /** Of the first owner; null if it has none. */
  ownerEmail: string | null;
  /** Credits of this month that are reserved or spent. */
  creditsUsed: number;
}

interface Row extends Omit<TenantSummary, keyof TenantLimits> {
  maxRequests: number | null;
  maxCredits: number | null;
}

/** All tenants, the oldest first, for operators. */
export async function listTenants(em: EntityManager, now = new Date()): Promise<TenantSummary[]> {
  const rows = await em.execute<Row[]>(
    `select t.id, t.name, t.tier, t.is_active as "isActive", t.deleted_at is not null as "isDeleted",
       t.max_requests_per_minute as "maxRequests", t.max_monthly_credits as "maxCredits", coalesce(b.used, 0)::int as "creditsUsed",
       (select u.email from memberships m join users u on u.id = m.user_id
        where m.tenant_id = t.id and m.role = 'owner' order by m.joined_at, u.id limit 1) as "ownerEmail"
     from tenants t left join credit_balances b on b.tenant_id = t.id and b.month = ?
     order by t.created_at, t.id`,
    [creditMonth(now)],
  );
  return rows.map(({ maxRequests, maxCredits, ...row }) => ({
    ...row,
    ...limitsOf(row.tier, { requestsPerMinute: maxRequests, creditsPerMonth: maxCredits }),
  }));
}
