import type { EntityManager } from '@mikro-orm/postgresql';
import { creditsFor } from '../../domain/accounts/credits.ts';
import { checkQuota, type QuotaCheck } from '../../domain/accounts/quota.ts';
import type { Principal } from './principal.ts';
import { readCreditUsage } from './tenants/read-limits.ts';

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
