import type { EntityManager } from '@mikro-orm/postgresql';
import { CreditBalance } from '../../db/entities/accounts/credit-balance.ts';
import { CreditEntry } from '../../db/entities/accounts/credit-entry.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { creditMonth, secondsToCreditReset } from '../../domain/accounts/credits.ts';
import { AppError } from '../../domain/app-error.ts';
import { shortfall } from '../../domain/accounts/quota.ts';
import { TIER_LIMITS, type Tier } from '../../domain/accounts/tiers.ts';

/**
 * Reserves credits of the current month, inside the caller's transaction. Idempotent by `reservationId`.
 *
 * @throws AppError QUOTA_EXHAUSTED when the month's credits do not suffice
 */
export async function reserveCredits(
  em: EntityManager,
  {
    tenantId,
    tier,
    reservationId,
    amount,
  }: { tenantId: string; tier: Tier; reservationId: string; amount: number },
  now = new Date(),
): Promise<void> {
  if (amount === 0) return;
  const month = creditMonth(now);
  const opened: unknown[] = await em.execute(
    `insert into credit_entries (reservation_id, closes, kind, tenant_id, amount, month, created_at)
     values (?, false, 'reserve', ?, ?, ?, now()) on conflict do nothing returning 1`,
    [reservationId, tenantId, amount, month],
  );
  if (opened.length === 0) return;
  const counted: unknown[] = await em.execute(
    `with allowed as (select coalesce(max_monthly_credits, ?) as credits from tenants where id = ?)
     insert into credit_balances as balance (tenant_id, month, used)
     select ?, ?, ? from allowed where credits = -1 or credits >= ?
     on conflict (tenant_id, month) do update set used = balance.used + excluded.used
     where (select credits = -1 or credits >= balance.used + excluded.used from allowed) returning 1`,
    [TIER_LIMITS[tier].creditsPerMonth, tenantId, tenantId, month, amount, amount],
  );
  if (counted.length === 0) {
    const { maxMonthlyCredits } = await em.findOneOrFail(Tenant, tenantId);
    const creditsPerMonth = maxMonthlyCredits ?? TIER_LIMITS[tier].creditsPerMonth;
    const balance = await em.findOne(CreditBalance, { tenantId, month }, { refresh: true });
    const available = Math.max(0, creditsPerMonth - (balance?.used ?? 0));
    throw new AppError('QUOTA_EXHAUSTED', shortfall({ needed: amount, available, creditsPerMonth }), {
      retryAfterSeconds: secondsToCreditReset(now),
    });
  }
}

/** How the newest of these reservations that is closed was closed; undefined if none is. */
export async function lastSettlement(
  em: EntityManager,
  reservationIds: string[],
): Promise<'spend' | 'refund' | undefined> {
  const [last] = await em.find(
    CreditEntry,
    { reservationId: { $in: reservationIds }, closes: true },
    { orderBy: { createdAt: 'desc' }, limit: 1 },
  );
  return last?.kind === 'reserve' ? undefined : last?.kind;
}

/** Closes reservations; ids without one are ignored. Only the first close of each counts. A refund returns the credits to their month. */
export async function closeReservations(
  em: EntityManager,
  reservationIds: string[],
  kind: 'spend' | 'refund',
): Promise<void> {
  if (reservationIds.length === 0) return;
  await em.execute(
    `with closed as (
       insert into credit_entries (reservation_id, closes, kind, tenant_id, amount, month, created_at)
       select reservation_id, true, ?, tenant_id, amount, month, now()
       from credit_entries where reservation_id in (${reservationIds.map(() => '?').join(', ')}) and not closes
       on conflict do nothing returning kind, tenant_id, amount, month),
     refunded as (
       select tenant_id, month, sum(amount) as amount from closed where kind = 'refund' group by tenant_id, month)
     update credit_balances as balance set used = balance.used - refunded.amount from refunded
     where balance.tenant_id = refunded.tenant_id and balance.month = refunded.month`,
    [kind, ...reservationIds],
  );
}
