import type { EntityManager } from '@mikro-orm/postgresql';
import { DeletionReceipt } from '../../db/entities/trash/deletion-receipt.ts';
import { notFound } from '../../domain/app-error.ts';
import { isUuid } from '../shared/ids.ts';

/**
 * The receipt of a file that was permanently removed.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed, not purged yet or of another tenant
 */
export async function findReceipt(
  em: EntityManager,
  tenantId: string,
  fileId: string,
): Promise<DeletionReceipt> {
  const receipt = isUuid(fileId)
    ? await em.findOne(DeletionReceipt, { fileId: fileId.toLowerCase(), tenantId })
    : null;
  if (!receipt) throw notFound('receipt');
  return receipt;
}

/** One page of a tenant's receipts, newest first, and the total count. */
export async function listReceipts(
  em: EntityManager,
  tenantId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ receipts: DeletionReceipt[]; totalCount: number }> {
  const [receipts, totalCount] = await em.findAndCount(
    DeletionReceipt,
    { tenantId },
    { limit, offset, orderBy: { purgedAt: 'desc', fileId: 'desc' } },
  );
  return { receipts, totalCount };
}
