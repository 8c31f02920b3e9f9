import type { EntityManager } from '@mikro-orm/postgresql';
import { creditMonth } from '../../domain/accounts/credits.ts';
import { limitsOf, type Tier, type TenantLimits } from '../../domain/accounts/tiers.ts';
import type { Role } from '../../domain/accounts/permissions.ts';

export interface TenantSummary extends TenantLimits {
  id: string;
  name: string;
  tier: Tier;
  isActive: boolean;
  isDeleted: boolean;
  /** The first owner's; null if it has none. */
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

/** A user as operators see them. */
interface UserSummary {
  id: string;
  email: string;
  emailVerified: boolean;
  /** False for those who log in through an identity provider, or have not accepted an invitation yet. */
  hasPassword: boolean;
  /** ISO 8601; null before the first login. */
  lastLoginAt: string | null;
  tenants: { id: string; name: string; role: Role }[];
}

/** All users, or those of one tenant, the oldest first. Deleted ones are left out. */
export async function listUsers(em: EntityManager, tenantId?: string): Promise<UserSummary[]> {
  return em.execute<UserSummary[]>(
    `select u.id, u.email, u.email_verified_at is not null as "emailVerified",
       u.password_hash is not null as "hasPassword",
       to_char(u.last_login_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastLoginAt",
       coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'role', m.role) order by m.joined_at, t.id)
         from memberships m join tenants t on t.id = m.tenant_id where m.user_id = u.id), '[]') as tenants
     from users u
     where u.is_active and (?::uuid is null
       or exists (select from memberships m where m.user_id = u.id and m.tenant_id = ?::uuid))
     order by u.created_at, u.id`,
    [tenantId ?? null, tenantId ?? null],
  );
}
