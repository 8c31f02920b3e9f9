import { randomUUID } from 'node:crypto';
import { FILE_ERRORS, findFile } from '../../../services/files/find-file.ts';
import { createSplit } from '../../../services/splits/create-split.ts';
import { endSplit } from '../../../services/splits/end-split.ts';
import { listSplits, readSplit } from '../../../services/splits/find-split.ts';
import { splitWork } from '../../../services/splits/split-work.ts';
import { callerOf } from '../../http/actor.ts';
import { route, type Call } from '../../http/route.ts';
import { listPage } from '../../resources/fields.ts';
import { fileParams } from '../../resources/file/schema.ts';
import {
  presentSplit,
  splitBody,
  splitList,
  splitListQuery,
  splitParams,
  splitRecord,
} from '../../resources/split.ts';

const tag = 'Documents';

/** A PDF of several documents, divided into files. */
export const splitRoutes = [
  route({
    method: 'post',
    path: '/files/:file_id/splits',
    operationId: 'splitDocument',
    summary: 'Divide a PDF of several documents into files',
    description:
      'The parts are the given `ranges` of pages, or the documents that rules find: by separator and blank pages, page ' +
      'numbers that begin again, letterheads and first pages. Each part becomes a file of its own in the folder of the ' +
      'document, with its tags and as `parent_file_id`, and keeps its text. A part that is a file already is not stored again.',
    accepted:
      'the parts are stored one after the other. Poll `GET /splits/{split_id}` until `status` is not `processing`. Divide ' +
      'again with the same `ranges` to store what is missing after a failure.',
    cost: 'document',
    tag,
    permit: 'files.write',
    idempotent: true,
    params: fileParams,
    body: splitBody,
    answers: { 202: splitRecord },
    errors: [
      ...FILE_ERRORS,
      'WRONG_MEDIA_TYPE',
      'DOCUMENT_UNREADABLE',
      'NOTHING_TO_SPLIT',
      'TOO_MANY_SPLITS',
      'QUOTA_EXHAUSTED',
    ],
    async handle(call) {
      const { ctx, em, deps, principal, params, body, resourceId } = call;
      const { tenantId } = principal;
      const file = await findFile(em, tenantId, params.file_id);
      const target = { splitId: resourceId ?? randomUUID(), tenantId };
      const { ranges, dry_run: dryRun, keep_separators: keepSeparators } = body;
      const row = await createSplit(em, target, file, { ranges, dryRun, keepSeparators }, callerOf(call));
      await splitWork.startIfDue({ em, engine: deps.engine }, row);
      ctx.status = 202;
      return readSplit(em, row);
    },
    present: presentSplit,
  }),

  route({
    method: 'get',
    path: '/files/:file_id/splits',
    operationId: 'listSplits',
    summary: 'List the last 20 splits of a document, newest first, as last recorded',
    tag,
    permit: 'files.read',
    params: fileParams,
    query: splitListQuery,
    answers: { 200: splitList },
    errors: FILE_ERRORS,
    handle: async ({ em, principal, params, query }) =>
      listSplits(em, await findFile(em, principal.tenantId, params.file_id), query),
    present: ({ splits, totalCount }, { query }) => listPage(splits.map(presentSplit), totalCount, query),
  }),

  route({
    method: 'get',
    path: '/splits/:split_id',
    operationId: 'getSplit',
    summary: 'A split, with its parts and their files',
    description: 'Poll it until `status` is not `processing`.',
    tag,
    permit: 'files.read',
    params: splitParams,
    answers: { 200: splitRecord },
    errors: ['NOT_FOUND'],
    handle: find,
    present: presentSplit,
  }),

  route({
    method: 'post',
    path: '/splits/:split_id/cancel',
    operationId: 'cancelSplit',
    summary: 'Store no further parts; those that are files stay',
    description: 'A split that has ended stays as it is.',
    tag,
    permit: 'files.write',
    params: splitParams,
    answers: { 200: splitRecord },
    errors: ['NOT_FOUND'],
    async handle(call) {
      const { row } = await find(call);
      const { em, deps } = call;
      await endSplit(em, { splitId: row.id, tenantId: row.tenantId }, { status: 'cancelled' });
      await em.refreshOrFail(row);
      await splitWork.startIfDue({ em, engine: deps.engine }, row);
      return readSplit(em, row);
    },
    present: presentSplit,
  }),
];

async function find({
  em,
  deps: { engine },
  principal: { tenantId },
  params,
}: Pick<Call<{ split_id: string }, unknown, unknown>, 'em' | 'deps' | 'principal' | 'params'>) {
  return readSplit(em, await splitWork.find({ em, engine }, tenantId, params.split_id));
}
