import { TRASH_DAYS } from '../../../domain/limits.ts';
import { goneAt } from '../../../domain/trash/trash.ts';
import { deleteFile, deleteFiles, type Deletion } from '../../../services/trash/delete-files.ts';
import { findFile, findFileOrTrash } from '../../../services/files/find-file.ts';
import { followIndexChange } from '../../../services/similarity/follow-index-change.ts';
import { restoreFile, type Restoration } from '../../../services/trash/restore-file.ts';
import { startFileWork } from '../../../services/processing/start-file-work.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import {
  batchDeleteAnswer,
  batchDeleteBody,
  deleteAnswer,
  restoreAnswer,
} from '../../resources/trash/schema.ts';
import { fileParams } from '../../resources/file/schema.ts';

/** Into the trash, and out of it. */
export const fileDeleteRoutes = [
  route({
    method: 'post',
    path: '/files/batch-delete',
    operationId: 'deleteFiles',
    summary: 'Move up to 100 files to the trash',
    permission: 'EDIT',
    body: batchDeleteBody,
    responses: json(200, batchDeleteAnswer),
    async handle({ em, deps, principal, body }) {
      const deletions = await deleteFiles({ em, engine: deps.engine }, principal.tenantId, body.file_ids);
      const of = (outcome: Deletion['outcome']) =>
        deletions.filter((deletion) => deletion.outcome === outcome).map(presentDeletion);
      const answer = { deleted: of('deleted'), skipped: of('deleted_before'), failed: of('refused') };
      const { deleted, skipped, failed } = answer;
      const counts = { deleted: deleted.length, skipped: skipped.length, failed: failed.length };
      return { ...answer, summary: { total: deletions.length, ...counts } };
    },
  }),

  route({
    method: 'delete',
    path: '/files/:file_id',
    operationId: 'deleteFile',
    summary: 'Move a file to the trash',
    permission: 'EDIT',
    params: fileParams,
    responses: json(200, deleteAnswer),
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
    summary: `Take a file out of the trash, within ${TRASH_DAYS} days`,
    permission: 'EDIT',
    params: fileParams,
    responses: json(200, restoreAnswer),
    async handle({ em, deps: { engine }, principal, params }) {
      const found = await findFileOrTrash(em, principal.tenantId, params.file_id);
      const restoration = await restoreFile(em, principal, found);
      const { file, restored, resumed } = restoration;
      if (restored) {
        if (resumed.length > 0) await startFileWork({ em, engine }, file, 'interactive');
        await followIndexChange(engine, file);
      }
      return presentRestoration(restoration);
    },
  }),
];

function presentDeletion(deletion: Deletion) {
  const { id, outcome } = deletion;
  if (outcome === 'refused') {
    return { id, status: 'failed', message: deletion.reason, deleted_at: null };
  }
  const { deletedAt } = deletion;
  const message = outcome === 'deleted' ? trashMessage(deletedAt) : 'was deleted before';
  return { id, status: 'deleted', message, deleted_at: deletedAt.toISOString() };
}

function presentRestoration(restoration: Restoration) {
  const { file, restored, resumed, duplicateOf } = restoration;
  return {
    id: file.id,
    restored,
    primary_status: file.primaryStatus,
    resumed,
    duplicate_of: duplicateOf?.id ?? null,
    message: restoreMessage(restoration),
  };
}

function trashMessage(deletedAt: Date): string {
  const day = goneAt(deletedAt).toISOString().slice(0, 10);
  return `in the trash; POST /files/{id}/restore brings it back until ${day}`;
}

function restoreMessage({ restored, resumed, unpaid, duplicateOf }: Restoration): string {
  if (!restored) return 'the file is not in the trash; nothing was changed';
  return [
    'restored',
    resumed.length > 0 && `${resumed.join(' and ')} cut short by the deletion goes on`,
    unpaid.length > 0 && `${unpaid.join(' and ')} waits for credits, and for a retry`,
    duplicateOf && `there is another file with the same content, ${duplicateOf.id}`,
  ]
    .filter(Boolean)
    .join('; ');
}
