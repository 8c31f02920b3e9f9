import { TRASH_DAYS } from '../../../domain/limits.ts';
import { deleteFile, deleteFiles } from '../../../services/trash/delete-files.ts';
import { findFile, findFileOrTrash, FILE_ERRORS } from '../../../services/files/find-file.ts';
import { restoreFile, findReceipt, listReceipts } from '../../../services/trash/restore-file.ts';
import { reconcileFileIfReachable } from '../../../services/processing/reconcile-file.ts';
import { listPage } from '../../resources/fields.ts';
import {
  presentDeletions,
  presentRestoration,
  trashMessage,
  presentReceipt,
  batchDeleteAnswer,
  batchDeleteBody,
  deleteAnswer,
  restoreAnswer,
  receiptAnswer,
  receiptList,
  receiptParams,
  receiptQuery,
} from '../../resources/trash.ts';
import { route } from '../../http/route.ts';
import { fileParams } from '../../resources/file/schema.ts';

/** Deletion to the trash, and restoring from it. */
export const fileDeleteRoutes = [
  route({
    method: 'post',
    path: '/files/batch-delete',
    operationId: 'deleteFiles',
    summary: 'Move up to 100 files to the trash',
    tag: 'Trash',
    permit: 'files.write',
    body: batchDeleteBody,
    answers: { 200: batchDeleteAnswer },
    async handle({ em, deps, principal, body }) {
      const deletions = await deleteFiles({ em, engine: deps.engine }, principal.tenantId, body.file_ids);
      return presentDeletions(deletions);
    },
  }),

  route({
    method: 'delete',
    path: '/files/:file_id',
    operationId: 'deleteFile',
    summary: 'Move a file to the trash',
    description:
      'Its parts, such as the attachments of an e-mail, go with it. ' +
      'The file can be restored for 30 days with `POST /files/{file_id}/restore`, then it is ' +
      'permanently removed, with a receipt.',
    tag: 'Trash',
    permit: 'files.write',
    params: fileParams,
    answers: { 200: deleteAnswer },
    errors: [...FILE_ERRORS],
    async handle({ em, deps, principal, params }) {
      const { tenantId } = principal;
      const found = await findFile(em, tenantId, params.file_id);
      const { id, deletedAt } = await deleteFile({ em, engine: deps.engine }, tenantId, found.id);
      return { id, deleted_at: deletedAt.toISOString(), message: trashMessage(deletedAt) };
    },
  }),

  route({
    method: 'post',
    path: '/files/:file_id/restore',
    operationId: 'restoreFile',
    summary: `Restore a file from the trash, within ${TRASH_DAYS} days`,
    tag: 'Trash',
    permit: 'files.write',
    params: fileParams,
    answers: { 200: restoreAnswer },
    errors: [...FILE_ERRORS],
    async handle({ em, deps: { engine }, principal, params }) {
      const found = await findFileOrTrash(em, principal.tenantId, params.file_id);
      const restoration = await restoreFile(em, principal, found);
      const { file, restored, parts } = restoration;
      for (const each of restored ? [file, ...parts] : [])
        await reconcileFileIfReachable({ em, engine }, each, 'interactive');
      return presentRestoration(restoration);
    },
  }),
];

export const fileDeletionsRoutes = [
  route({
    method: 'get',
    path: '/files/deletions',
    operationId: 'listDeletions',
    summary: 'List receipts of permanently removed files, newest first',
    tag: 'Trash',
    permit: 'files.read',
    query: receiptQuery,
    answers: { 200: receiptList },
    async handle({ em, principal, query: { limit, offset } }) {
      const { receipts, totalCount } = await listReceipts(em, principal.tenantId, { limit, offset });
      const items = receipts.map(presentReceipt);
      return listPage(items, totalCount, { limit, offset });
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
    answers: { 200: receiptAnswer },
    errors: ['NOT_FOUND'],
    handle: async ({ em, principal, params }) =>
      presentReceipt(await findReceipt(em, principal.tenantId, params.file_id)),
  }),
];
