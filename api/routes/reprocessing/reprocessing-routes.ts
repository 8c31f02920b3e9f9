import { randomUUID } from 'node:crypto';
import {
  changeReprocessing,
  type ReprocessingAction,
} from '../../../services/reprocessing/change-reprocessing.ts';
import { createReprocessing } from '../../../services/reprocessing/create-reprocessing.ts';
import {
  listReprocessedFiles,
  listReprocessings,
  readState,
} from '../../../services/reprocessing/find-reprocessing.ts';
import {
  announceReprocessing,
  reprocessingWork,
  rollbackWork,
} from '../../../services/reprocessing/reprocessing-work.ts';
import { estimateReprocessing } from '../../../services/reprocessing/selected-files.ts';
import { findNamedSchema } from '../../../services/structured-extraction/saved-schemas/find-schema.ts';
import { callerOf } from '../../http/actor.ts';
import { clientGone } from '../../http/client-gone.ts';
import { route, type Call } from '../../http/route.ts';
import {
  presentEstimate,
  presentReprocessedFile,
  presentReprocessing,
  presentReprocessings,
  reprocessedFileList,
  reprocessedFilesQuery,
  reprocessingBody,
  reprocessingEstimate,
  reprocessingList,
  reprocessingListQuery,
  reprocessingParams,
  reprocessingRecord,
  selectionOf,
} from '../../resources/reprocessing.ts';

const tag = 'Reprocessing';

/** Many files processed again. */
export const reprocessingRoutes = [
  route({
    method: 'post',
    path: '/reprocessing',
    operationId: 'reprocessFiles',
    summary: 'Process many files again, or estimate what that costs',
    description:
      'Retries the named components of all live files that the filter selects and that exist now, each as one more run. ' +
      'Titles, descriptions, tags and corrections by people stay. With `dry_run`, the answer is an estimate.',
    accepted:
      'the files are processed a bounded number at a time, after current uploads. Poll `GET /reprocessing/{reprocessing_id}` ' +
      'until `status` is neither `processing` nor `paused`; without credits it is paused with the reason.',
    cost: 'retry',
    tag,
    permit: 'files.write',
    idempotent: true,
    body: reprocessingBody,
    answers: { 200: reprocessingEstimate, 202: reprocessingRecord },
    errors: ['NOT_FOUND', 'CUSTOM_SCHEMA_NOT_FOUND', 'TOO_MANY_REPROCESSINGS', 'SEARCH_TIMEOUT'],
    async handle(call) {
      const { ctx, em, deps, principal, body, resourceId } = call;
      const { tenantId } = principal;
      const {
        components: parts,
        custom_schema_id: schemaId,
        reason,
        files_per_minute: filesPerMinute,
      } = body;
      if (schemaId !== undefined) await findNamedSchema(em, tenantId, schemaId, 'background');
      const createdAt = new Date();
      const selected = { tenantId, selection: selectionOf(body), createdAt };
      const estimate = await deps.searches.run(tenantId, clientGone(ctx.res), () =>
        estimateReprocessing(em, selected, parts, deps.searchTimeoutMs),
      );
      if (body.dry_run) return presentEstimate(estimate);
      const target = { reprocessingId: resourceId ?? randomUUID(), tenantId };
      const wanted = { selection: selected.selection, parts, reason, createdAt, schemaId, filesPerMinute };
      const row = await createReprocessing(em, target, wanted, estimate, callerOf(call));
      await reprocessingWork.startIfDue({ em, engine: deps.engine }, row);
      ctx.status = 202;
      return presentReprocessing({ row, processing: 0 });
    },
  }),

  route({
    method: 'get',
    path: '/reprocessing',
    operationId: 'listReprocessings',
    summary: 'List reprocessings, newest first, as last recorded',
    tag,
    permit: 'files.read',
    query: reprocessingListQuery,
    answers: { 200: reprocessingList },
    handle: ({ em, principal: { tenantId }, query }) => listReprocessings(em, tenantId, query),
    present: (found, { query }) => presentReprocessings(found, query),
  }),

  route({
    method: 'get',
    path: '/reprocessing/:reprocessing_id',
    operationId: 'getReprocessing',
    summary: 'State and progress of a reprocessing, and why it waits',
    tag,
    permit: 'files.read',
    params: reprocessingParams,
    answers: { 200: reprocessingRecord },
    errors: ['NOT_FOUND'],
    handle: find,
    present: presentReprocessing,
  }),

  route({
    method: 'get',
    path: '/reprocessing/:reprocessing_id/files',
    operationId: 'listReprocessedFiles',
    summary: 'What became of each file of a reprocessing, with its descriptions before and after',
    tag,
    permit: 'files.read',
    params: reprocessingParams,
    query: reprocessedFilesQuery,
    answers: { 200: reprocessedFileList },
    errors: ['NOT_FOUND'],
    async handle(call) {
      const state = await find(call);
      const found = await listReprocessedFiles(call.em, state, call.query);
      return { ...found, closed: Boolean(state.row.closedAt) };
    },
    present: ({ files, totalCount, nextCursor, closed }) => ({
      items: files.map((file) => presentReprocessedFile(file, closed)),
      total_count: totalCount,
      next_cursor: nextCursor,
    }),
  }),

  changeRoute('pause', 'pauseReprocessing', 'Begin no further files; those in progress end'),
  changeRoute('resume', 'resumeReprocessing', 'Continue a paused reprocessing'),
  changeRoute('cancel', 'cancelReprocessing', 'Begin no further files for good; those in progress end'),
  changeRoute(
    'rollback',
    'rollBackReprocessing',
    'Put the former descriptions back, and remove the tags that came with the new ones',
    'Only where no later run has described the file again; what people wrote stays. Once ended, `status` is `rolled_back`.',
  ),
  changeRoute(
    'close',
    'closeReprocessing',
    'Keep the new descriptions: the former ones are removed',
    'Otherwise this happens 30 days after its end.',
  ),
];

async function find(
  call: Pick<Call<{ reprocessing_id: string }, unknown, unknown>, 'em' | 'deps' | 'principal' | 'params'>,
) {
  const { em, principal, params } = call;
  const deps = { em, engine: call.deps.engine };
  const row = await reprocessingWork.find(deps, principal.tenantId, params.reprocessing_id);
  if (row.status === 'rolling_back') await rollbackWork.reconcileIfReachable(deps, row);
  return readState(em, row);
}

function changeRoute(action: ReprocessingAction, operationId: string, summary: string, description?: string) {
  return route({
    method: 'post',
    path: `/reprocessing/:reprocessing_id/${action}`,
    operationId,
    summary,
    ...(description && { description }),
    tag,
    permit: 'files.write',
    params: reprocessingParams,
    answers: { 200: reprocessingRecord },
    errors: ['NOT_FOUND', 'REPROCESSING_CONFLICT'],
    async handle(call) {
      // The ends of files up to now decide whether a rollback may begin.
      const { row: known } = await find(call);
      const row = await changeReprocessing(call.em, known.id, action, callerOf(call));
      await announceReprocessing({ em: call.em, engine: call.deps.engine }, row);
      return readState(call.em, row);
    },
    present: presentReprocessing,
  });
}
