import type { EntityManager } from '@mikro-orm/postgresql';
import { Counter } from 'prom-client';
import { CreditBalance } from '../../db/entities/accounts/credit-balance.ts';
import { CreditEntry } from '../../db/entities/accounts/credit-entry.ts';
import { creditMonth, secondsToCreditReset, thresholdsReached } from '../../domain/accounts/credits.ts';
import { AppError } from '../../domain/app-error.ts';
import { shortfall } from '../../domain/accounts/quota.ts';
import { TIER_LIMITS, UNLIMITED, type Tier } from '../../domain/accounts/tiers.ts';
import { totalCredits, type Charge } from '../../domain/operations.ts';
import { hourOf } from '../../domain/usage/periods.ts';

const credits = new Counter({
  name: 'darkroom_credits_total',
  help: 'Credits that were reserved, spent or refunded, or refused since the month of an account has no more, by operation',
  labelNames: ['change', 'operation'],
});

/** Counts credits for operators. A transaction that is rolled back after it is counted as well. */
function count(change: 'reserved' | 'spent' | 'refunded' | 'refused', charges: readonly Charge[]): void {
  for (const charge of charges) credits.inc({ change, operation: charge.operation }, charge.credits);
}

/** Credits to reserve and the tenant to charge. */
export interface Reservation {
  tenantId: string;
  tier: Tier;
  reservationId: string;
  charges: readonly Charge[];
  /** The requesting key; absent for login sessions. */
  apiKeyId?: string | null | undefined;
}

/**
 * Reserves credits of the current month, inside the caller's transaction. Idempotent by `reservationId`.
 *
 * @throws AppError QUOTA_EXHAUSTED when the month's credits do not suffice
 */
export async function reserveCredits(
  em: EntityManager,
  { tenantId, tier, reservationId, charges, apiKeyId = null }: Reservation,
  now = new Date(),
): Promise<void> {
  const amount = totalCredits(charges);
  if (amount === 0) return;
  const month = creditMonth(now);
  // The balance is locked before the hours: each part is written from what the one before it returns.
  const [counted] = await em.execute<{ opened: boolean; used: number | null; monthly_limit: number }[]>(
    `with opened as (
       insert into credit_entries
         (reservation_id, closes, kind, tenant_id, amount, month, charges, api_key_id, created_at)
       values (?, false, 'reserve', ?, ?, ?, ?, ?, ?) on conflict do nothing returning tenant_id, month, amount),
     allowed as (select coalesce(max_monthly_credits, ?) as credits from tenants where id = ?),
     counted as (
       insert into credit_balances as balance (tenant_id, month, used)
       select tenant_id, month, amount from opened, allowed where credits = -1 or credits >= amount
       on conflict (tenant_id, month) do update set used = balance.used + excluded.used
       where (select credits = -1 or credits >= balance.used + excluded.used from allowed)
       returning tenant_id, used),
     by_hour as (
       insert into credit_hours as hours (tenant_id, starts_at, operation, level, api_key_id, credits)
       select tenant_id, ?, operation, coalesce(level, ''), ?, sum(credits)
       from counted, jsonb_to_recordset(?::jsonb) as charge (operation text, level text, credits int)
       group by tenant_id, operation, level
       on conflict (tenant_id, starts_at, operation, level, api_key_id)
       do update set credits = hours.credits + excluded.credits)
     select exists (select from opened) as opened, (select used from counted) as used, credits as monthly_limit
     from allowed`,
    [
      reservationId,
      tenantId,
      amount,
      month,
      JSON.stringify(charges),
      apiKeyId,
      now,
      TIER_LIMITS[tier].creditsPerMonth,
      tenantId,
      hourOf(now),
      apiKeyId ?? '',
      JSON.stringify(charges),
    ],
  );
  if (counted?.opened === false) return;
  const limit = counted?.monthly_limit ?? TIER_LIMITS[tier].creditsPerMonth;
  if (counted?.used == null) {
    count('refused', charges);
    const balance = await em.findOne(CreditBalance, { tenantId, month }, { refresh: true });
    const available = Math.max(0, limit - (balance?.used ?? 0));
    throw new AppError('QUOTA_EXHAUSTED', shortfall({ needed: amount, available, creditsPerMonth: limit }), {
      retryAfterSeconds: secondsToCreditReset(now),
    });
  }
  count('reserved', charges);
  if (limit !== UNLIMITED) {
    await recordThresholds(em, { tenantId, month, limit, used: counted.used }, now);
  }
}

/** Records `usage.threshold_reached`, once for each threshold of a month. */
async function recordThresholds(
  em: EntityManager,
  { tenantId, month, limit, used }: { tenantId: string; month: string; limit: number; used: number },
  now: Date,
): Promise<void> {
  for (const threshold of thresholdsReached(limit, used)) {
    await em.execute(
      `insert into usage_thresholds (tenant_id, month, threshold, used, monthly_limit, reached_at)
       values (?, ?, ?, ?, ?, ?) on conflict do nothing`,
      [tenantId, month, threshold, used, limit, now],
    );
  }
}

/** The charges of those of these reservations that exist, each with its requesting key. */
export async function chargesOfEach(
  em: EntityManager,
  reservationIds: string[],
): Promise<{ reservationId: string; charges: Charge[]; apiKeyId: string | null }[]> {
  return em.execute(
    `select reservation_id as "reservationId", charges, api_key_id as "apiKeyId" from credit_entries
     where reservation_id in (${reservationIds.map(() => '?').join(', ')}) and not closes`,
    reservationIds,
  );
}

/** The outcome of the newest closed reservation among these; undefined if none is closed. */
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

/**
 * Closes reservations; ids without one are ignored. Only the first close of each counts. A refund returns the credits
 * to their month.
 */
export async function closeReservations(
  em: EntityManager,
  reservationIds: string[],
  kind: 'spend' | 'refund',
  now = new Date(),
): Promise<void> {
  if (reservationIds.length === 0) return;
  // In two statements, because the balance must be locked before the hours, as when credits are reserved.
  const closed = await em.execute<{ reservation_id: string; charges: Charge[] }[]>(
    `with closed as (
       insert into credit_entries
         (reservation_id, closes, kind, tenant_id, amount, month, charges, api_key_id, created_at)
       select reservation_id, true, ?, tenant_id, amount, month, charges, api_key_id, ?
       from credit_entries where reservation_id in (${reservationIds.map(() => '?').join(', ')}) and not closes
       on conflict do nothing returning reservation_id, kind, tenant_id, amount, month, charges),
     refunded as (
       select tenant_id, month, sum(amount) as amount from closed where kind = 'refund' group by tenant_id, month),
     balanced as (
       update credit_balances as balance set used = balance.used - refunded.amount from refunded
       where balance.tenant_id = refunded.tenant_id and balance.month = refunded.month)
     select reservation_id, charges from closed`,
    [kind, now, ...reservationIds],
  );
  for (const { charges } of closed) count(kind === 'spend' ? 'spent' : 'refunded', charges);
  if (kind === 'spend' || closed.length === 0) return;
  await em.execute(
    `with refunded as (
       select tenant_id, date_trunc('hour', created_at, 'UTC') as starts_at, charge.operation,
         coalesce(charge.level, '') as level, coalesce(api_key_id, '') as api_key_id, sum(charge.credits) as credits
       from credit_entries, jsonb_to_recordset(charges) as charge (operation text, level text, credits int)
       where reservation_id in (${closed.map(() => '?').join(', ')}) and not closes
       group by 1, 2, 3, 4, 5)
     update credit_hours as hours set credits = hours.credits - refunded.credits from refunded
     where (hours.tenant_id, hours.starts_at, hours.operation, hours.level, hours.api_key_id) =
       (refunded.tenant_id, refunded.starts_at, refunded.operation, refunded.level, refunded.api_key_id)`,
    closed.map(({ reservation_id: id }) => id),
  );
}
