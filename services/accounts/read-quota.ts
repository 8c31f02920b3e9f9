import type { EntityManager } from '@mikro-orm/postgresql';
import { CreditBalance } from '../../db/entities/accounts/credit-balance.ts';
import { creditMonth, creditsFor } from '../../domain/accounts/credits.ts';
import { checkQuota, type QuotaCheck } from '../../domain/accounts/quota.ts';
import { UPLOAD_BUFFER_BYTES } from '../uploads/streaming/part-buffers.ts';
import type { Principal } from './resolve-principal.ts';
import type { UploadMemory } from '../uploads/streaming/upload-memory.ts';

/** What is left of a tenant's month for so many images, all of them to be described. Reserves nothing. */
export async function readQuota(
  { em, uploadMemory }: { em: EntityManager; uploadMemory: UploadMemory },
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
    uploadBuffer: UPLOAD_BUFFER_BYTES,
  });
}
