import type { EntityManager } from '@mikro-orm/postgresql';
import { CreditBalance } from '../../../db/entities/accounts/credit-balance.ts';
import { creditMonth, creditsFor } from '../../../domain/accounts/credits.ts';
import { UNLIMITED } from '../../../domain/accounts/tiers.ts';
import type { Principal } from '../principal.ts';
import { readCounter, tenantCounterKey } from '../consume.ts';
import { checkQuota, type QuotaCheck } from '../../../domain/accounts/quota.ts';

/** A limit and its usage. -1 means unlimited, in `limit` and `remaining`. */
export interface LimitUsage {
  limit: number;
  used: number;
  remaining: number;
}

/** The limits of a tenant: credits of this month, reserved or spent, and requests in this minute. */
export async function readLimits(
  em: EntityManager,
  principal: Principal,
  now = new Date(),
): Promise<{ credits: LimitUsage; requests: LimitUsage }> {
  const { tenantId, requestsPerMinute } = principal;
  const { used: requests } = await readCounter(em, tenantCounterKey(tenantId));
  return {
    credits: await readCreditUsage(em, principal, now),
    requests: usageOf(requestsPerMinute, requests),
  };
}

/** Credits reserved or spent this month: the single source for every endpoint. */
export async function readCreditUsage(
  em: EntityManager,
  { tenantId, creditsPerMonth }: Pick<Principal, 'tenantId' | 'creditsPerMonth'>,
  now = new Date(),
): Promise<LimitUsage> {
  const balance = await em.findOne(CreditBalance, { tenantId, month: creditMonth(now) }, { refresh: true });
  return usageOf(creditsPerMonth, balance?.used ?? 0);
}

function usageOf(limit: number, used: number): LimitUsage {
  return { limit, used, remaining: limit === UNLIMITED ? UNLIMITED : Math.max(0, limit - used) };
}

/** Memory for uploads, in bytes. */
interface UploadAllowance {
  /** For all concurrent uploads of one tenant. */
  tenantBytes: number;
  /** The most that one upload uses of it. */
  uploadBytes: number;
}

/** Checks a tenant's remaining credits of the month against this many images, all to be described. Reserves nothing. */
export async function readQuota(
  { em, uploadMemory }: { em: EntityManager; uploadMemory: UploadAllowance },
  principal: Principal,
  files: number,
  now = new Date(),
): Promise<QuotaCheck> {
  const { tier, creditsPerMonth } = principal;
  const { used } = await readCreditUsage(em, principal, now);
  return checkQuota({
    tier,
    files,
    creditsPerMonth,
    creditsPerFile: creditsFor('image'),
    used,
    // Prepaid credits are not sold.
    prepaid: 0,
    uploadMemory: uploadMemory.tenantBytes,
    uploadBuffer: uploadMemory.uploadBytes,
  });
}
