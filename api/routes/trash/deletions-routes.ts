import { presentReceipt } from '../../resources/trash/present.ts';
import { findReceipt, listReceipts } from '../../../services/trash/find-receipt.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { receiptAnswer, receiptList, receiptParams, receiptQuery } from '../../resources/trash/schema.ts';

export const fileDeletionsRoutes = [
  route({
    method: 'get',
    path: '/files/deletions',
    operationId: 'listDeletions',
    summary: 'List receipts of permanently removed files, newest first',
    tag: 'Trash',
    permit: 'files.read',
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
    summary: 'Receipt of one removed file, with counts',
    tag: 'Trash',
    permit: 'files.read',
    params: receiptParams,
    responses: json(200, receiptAnswer),
    errors: ['NOT_FOUND'],
    handle: async ({ em, principal, params }) =>
      presentReceipt(await findReceipt(em, principal.tenantId, params.file_id)),
  }),
];
