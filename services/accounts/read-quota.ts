import type { EntityManager } from '@mikro-orm/postgresql';
import { CreditBalance } from '../../db/entities/accounts/credit-balance.ts';
import { creditMonth, creditsFor } from '../../domain/accounts/credits.ts';
import { checkQuota, type QuotaCheck } from '../../domain/accounts/quota.ts';
import type { Principal } from './principal.ts';

/** Memory for uploads, in bytes. */
export interface UploadAllowance {
  /** For all concurrent uploads of one tenant. */
  tenantBytes: number;
  /** The most that one upload uses of it. */
  uploadBytes: number;
}

/** Checks a tenant's remaining credits of the month against this many images, all to be described. Reserves nothing. */
export async function readQuota(
  { em, uploadMemory }: { em: EntityManager; uploadMemory: UploadAllowance },
  { tenantId, tier, creditsPerMonth }: Principal,
  files: number,
  now = new Date(),
): Promise<QuotaCheck> {
  const balance = await em.findOne(CreditBalance, { tenantId, month: creditMonth(now) });
  return checkQuota({
    tier,
    files,
    creditsPerMonth,
    creditsPerFile: creditsFor('image'),
    used: balance?.used ?? 0,
    // Prepaid credits are not sold.
    prepaid: 0,
    uploadMemory: uploadMemory.tenantBytes,
    uploadBuffer: uploadMemory.uploadBytes,
  });
}
