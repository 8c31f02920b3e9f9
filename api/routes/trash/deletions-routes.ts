import type { DeletionReceipt } from '../../../db/entities/trash/deletion-receipt.ts';
import { findReceipt, listReceipts } from '../../../services/trash/find-receipt.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import {
  receiptAnswer,
  receiptList,
  receiptParams,
  receiptQuery,
} from '../../resources/trash/deletions-schema.ts';

/** Receipts of what was removed for good. */
export const fileDeletionsRoutes = [
  route({
    method: 'get',
    path: '/files/deletions',
    operationId: 'listDeletions',
    summary: 'Receipts of files that were removed for good, the newest first',
    permission: 'VIEW',
    query: receiptQuery,
    responses: json(200, receiptList),
    async handle({ em, principal, query: { limit, offset } }) {
      const { receipts, totalCount } = await listReceipts(em, principal.tenantId, { limit, offset });
      const items = receipts.map(presentReceipt);
      return { items, total_count: totalCount, limit, offset, has_more: offset + items.length < totalCount };
    },
  }),

  route({
    method: 'get',
    path: '/files/deletions/:file_id',
    operationId: 'getDeletion',
    summary: 'What was removed of a file, counted',
    permission: 'VIEW',
    params: receiptParams,
    responses: json(200, receiptAnswer),
    handle: async ({ em, principal, params }) =>
      presentReceipt(await findReceipt(em, principal.tenantId, params.file_id)),
  }),
];

function presentReceipt(receipt: DeletionReceipt) {
  const { rows, objects, vectors } = receipt;
  return {
    file_id: receipt.fileId,
    filename: receipt.filename,
    sha256: receipt.sha256,
    deleted_at: receipt.deletedAt.toISOString(),
    purged_at: receipt.purgedAt.toISOString(),
    removed: { rows, objects, vectors },
  };
}
