import { FILE_ERRORS, findFileOrTrash } from '../../../services/files/find-file.ts';
import { holdFile, releaseFile } from '../../../services/trash/file-holds.ts';
import { readRetention } from '../../../services/trash/read-retention.ts';
import { callerOf } from '../../http/actor.ts';
import { route } from '../../http/route.ts';
import { fileParams } from '../../resources/file/schema.ts';
import { holdBody, presentRetention, retentionAnswer } from '../../resources/retention.ts';

/** How long a file stays, and holds, which keep it from being deleted. */
export const retentionRoutes = [
  route({
    method: 'get',
    path: '/files/:file_id/retention',
    operationId: 'getFileRetention',
    summary: 'When a file moves to the trash and is removed for good, and why',
    description: 'Of a live file, or of one in the trash.',
    tag: 'Trash',
    permit: 'files.read',
    params: fileParams,
    answers: { 200: retentionAnswer },
    errors: [...FILE_ERRORS],
    handle: async ({ em, principal, params }) =>
      readRetention(em, await findFileOrTrash(em, principal.tenantId, params.file_id)),
    present: presentRetention,
  }),

  route({
    method: 'post',
    path: '/files/:file_id/hold',
    operationId: 'holdFile',
    summary: 'Keep a file from being deleted',
    description:
      'Until it is released, neither a request nor its retention moves it to the trash, and nothing removes it from there; ' +
      'the same holds for the e-mail that it came with and for its attachments. Recorded in the audit log, with the reason.',
    tag: 'Trash',
    permit: 'files.erase',
    params: fileParams,
    body: holdBody,
    answers: { 200: retentionAnswer },
    errors: [...FILE_ERRORS],
    async handle({ ctx, em, principal, params, body }) {
      const { id } = await findFileOrTrash(em, principal.tenantId, params.file_id);
      await holdFile(em, callerOf({ ctx, principal }), id, body.reason);
      return readRetention(em, await findFileOrTrash(em, principal.tenantId, id));
    },
    present: presentRetention,
  }),

  route({
    method: 'delete',
    path: '/files/:file_id/hold',
    operationId: 'releaseFile',
    summary: 'Let a file be deleted again',
    description: 'Its retention then counts as if it had never been held. Recorded in the audit log.',
    tag: 'Trash',
    permit: 'files.erase',
    params: fileParams,
    answers: { 200: retentionAnswer },
    errors: [...FILE_ERRORS],
    async handle({ ctx, em, principal, params }) {
      const { id } = await findFileOrTrash(em, principal.tenantId, params.file_id);
      await releaseFile(em, callerOf({ ctx, principal }), id);
      return readRetention(em, await findFileOrTrash(em, principal.tenantId, id));
    },
    present: presentRetention,
  }),
];
