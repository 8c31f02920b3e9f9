import type { EntityManager } from '@mikro-orm/postgresql';
import { CreditBalance } from '../../../db/entities/accounts/credit-balance.ts';
import { creditMonth } from '../../../domain/accounts/credits.ts';
import { UNLIMITED } from '../../../domain/accounts/tiers.ts';
import type { Principal } from '../principal.ts';
import { readCounter, tenantCounterKey } from '../rate-limits/read-counter.ts';

/** A limit with what is used of it. -1 means unlimited, in `limit` and `remaining`. */
export interface LimitUsage {
  limit: number;
  used: number;
  remaining: number;
}

/** The limits of a tenant: credits of this month, reserved or spent, and requests in this minute. */
export async function readLimits(
  em: EntityManager,
  { tenantId, creditsPerMonth, requestsPerMinute }: Principal,
  now = new Date(),
): Promise<{ credits: LimitUsage; requests: LimitUsage }> {
  const balance = await em.findOne(CreditBalance, { tenantId, month: creditMonth(now) }, { refresh: true });
  const { used: requests } = await readCounter(em, tenantCounterKey(tenantId));
  return {
    credits: usageOf(creditsPerMonth, balance?.used ?? 0),
    requests: usageOf(requestsPerMinute, requests),
  };
}

function usageOf(limit: number, used: number): LimitUsage {
  return { limit, used, remaining: limit === UNLIMITED ? UNLIMITED : Math.max(0, limit - used) };
}
