import { apiKeyIdOf } from '../../../services/accounts/principal.ts';
import { deleteFile, deleteFiles } from '../../../services/trash/delete-files.ts';
import { findFile, findFileOrTrash, FILE_ERRORS } from '../../../services/files/find-file.ts';
import { emptyTrash, eraseFile } from '../../../services/trash/erase-files.ts';
import { restoreFile, findReceipt, listReceipts } from '../../../services/trash/restore-file.ts';
import { reconcileFileIfReachable } from '../../../services/processing/reconcile-file.ts';
import { listPage } from '../../resources/fields.ts';
import {
  presentDeletions,
  presentRestoration,
  ERASED,
  trashMessage,
  presentReceipt,
  batchDeleteAnswer,
  batchDeleteBody,
  deleteAnswer,
  deleteQuery,
  emptiedTrash,
  restoreAnswer,
  receiptAnswer,
  receiptList,
  receiptParams,
  receiptQuery,
} from '../../resources/trash.ts';
import { callerOf } from '../../http/actor.ts';
import { requireAccess, route } from '../../http/route.ts';
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
      'The file can be restored with `POST /files/{file_id}/restore` for 30 days, or as long as account or folder ' +
      'say (`trash_days`), then it is permanently removed, with a receipt. A file that is held cannot be deleted. With `permanent=true`, for which ADMIN permission is needed, it cannot be ' +
      'restored: the next purge removes it, at the latest two hours later; `GET /files/deletions/{file_id}` then has the receipt.',
    tag: 'Trash',
    permit: 'files.write',
    params: fileParams,
    query: deleteQuery,
    answers: { 200: deleteAnswer },
    errors: [...FILE_ERRORS, 'FILE_HELD'],
    async handle(call) {
      const { ctx, em, deps, principal, params, query } = call;
      const { tenantId } = principal;
      if (query.permanent) {
        requireAccess(call, { permit: 'files.erase', operationId: 'deleteFile' });
        const { id, deletedAt } = await findFileOrTrash(em, tenantId, params.file_id);
        if (!deletedAt) await deleteFile({ em, engine: deps.engine }, tenantId, id);
        const erased = await eraseFile(em, callerOf({ ctx, principal }), id);
        return { id, deleted_at: erased.deletedAt.toISOString(), message: ERASED };
      }
      const found = await findFile(em, tenantId, params.file_id);
      const deleted = await deleteFile({ em, engine: deps.engine }, tenantId, found.id);
      return { id: found.id, deleted_at: deleted.deletedAt.toISOString(), message: trashMessage(deleted) };
    },
  }),

  route({
    method: 'post',
    path: '/files/:file_id/restore',
    operationId: 'restoreFile',
    summary: 'Restore a file from the trash',
    tag: 'Trash',
    permit: 'files.write',
    params: fileParams,
    answers: { 200: restoreAnswer },
    errors: [...FILE_ERRORS],
    async handle({ em, deps: { engine }, principal, params }) {
      const { tenantId, tier, credential } = principal;
      const found = await findFileOrTrash(em, tenantId, params.file_id);
      const payer = { tenantId, tier, apiKeyId: apiKeyIdOf(credential) };
      const restoration = await restoreFile(em, payer, found);
      const { file, restored, parts } = restoration;
      for (const each of restored ? [file, ...parts] : [])
        await reconcileFileIfReachable({ em, engine }, each, 'interactive');
      return presentRestoration(restoration);
    },
  }),
];

export const fileDeletionsRoutes = [
  route({
    method: 'post',
    path: '/files/trash/empty',
    operationId: 'emptyTrash',
    summary: 'Remove all files in the trash for good',
    description:
      'Except those that are held. They cannot be restored from then on. The next purge removes them, at the latest two hours later, each with a receipt. ' +
      'Repeat it while `has_more` is true and files were erased: those that another request is just changing are left to a later one.',
    tag: 'Trash',
    permit: 'files.erase',
    limit: { requests: 10, per: 'minute' },
    answers: { 200: emptiedTrash },
    async handle({ ctx, em, principal }) {
      const { erased, more } = await emptyTrash(em, callerOf({ ctx, principal }));
      return { erased_files: erased, has_more: more };
    },
  }),

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
