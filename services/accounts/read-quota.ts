import type { EntityManager } from '@mikro-orm/postgresql';
import { CreditBalance } from '../../db/entities/accounts/credit-balance.ts';
import { creditMonth, creditsFor } from '../../domain/accounts/credits.ts';
import { checkQuota, type QuotaCheck } from '../../domain/accounts/quota.ts';
import type { Principal } from './resolve-principal.ts';

/** Memory for uploads, in bytes. */
export interface UploadAllowance {
  /** For all that one tenant sends at a time. */
  tenantBytes: number;
  /** What one upload takes of it at most. */
  uploadBytes: number;
}

/** What is left of a tenant's month for so many images, all of them to be described. Reserves nothing. */
export async function readQuota(
  { em, uploadMemory }: { em: EntityManager; uploadMemory: UploadAllowance },
  { tenantId, tier }: Principal,
  files: number,
  now = new Date(),
): Promise<QuotaCheck> {
  const balance = await em.findOne(CreditBalance, { tenantId, month: creditMonth(now) });
  return checkQuota({
    tier,
    files,
    creditsPerFile: creditsFor('image'),
    used: balance?.used ?? 0,
    // Nothing sells credits beside the monthly ones, so nobody holds any.
    prepaid: 0,
    uploadMemory: uploadMemory.tenantBytes,
    uploadBuffer: uploadMemory.uploadBytes,
  });
}
