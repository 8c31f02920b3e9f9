import { randomUUID } from 'node:crypto';
import { HISTORY_FIELDS, type HistoryFilter } from '../../../domain/exports/history.ts';
import type { HistorySpec } from '../../../domain/exports/spec.ts';
import { cleanExport, discardExport } from '../../../services/exports/end-export.ts';
import { createExport } from '../../../services/exports/create-export.ts';
import { findExport, listExports } from '../../../services/exports/find-export.ts';
import { exportWork } from '../../../services/exports/export-work.ts';
import { outage } from '../../../services/shared/outage.ts';
import { route } from '../../http/route.ts';
import { stateOf } from '../../http/state.ts';
import { presentAcceptedExport, presentExport } from '../../resources/export/present.ts';
import {
  dataExportBody,
  exportList,
  exportListQuery,
  exportParams,
  exportRecord,
  startedExport,
  type DataExportBody,
} from '../../resources/export/schema.ts';
import { listPage } from '../../resources/fields.ts';
import { presentRequestWebhook, requestWebhookOf } from '../../resources/request-webhook.ts';
import { readHistory } from '../../../services/exports/history/read-history.ts';
import { clientGone } from '../../http/client-gone.ts';
import {
  presentFilters,
  presentHistoryItem,
  presentStatistics,
  historyPage,
  historyQuery,
  type HistoryQuery,
} from '../../resources/history.ts';

/** Exports of the history, and the records of all exports. */
export const dataExportRoutes = [
  route({
    method: 'post',
    path: '/data/export',
    operationId: 'exportDescriptions',
    summary: 'Export the history of descriptions to a file',
    description: 'Writes the descriptions that the filters select to a file, newest first.',
    accepted:
      'the export is accepted. Poll `GET /data/export/{export_id}` until `status` is `completed` or ' +
      '`failed`.',
    tag: 'Exports',
    permit: 'files.read',
    idempotent: true,
    body: dataExportBody,
    answers: { 202: startedExport },
    errors: ['TOO_MANY_EXPORTS'],
    async handle(call) {
      const { ctx, em, deps, principal, body, resourceId } = call;
      const { engine } = deps;
      const { tenantId, credential } = principal;
      const target = { exportId: resourceId ?? randomUUID(), tenantId };
      const webhook = requestWebhookOf(call, body, 'body');
      const wanted = { kind: 'descriptions', format: body.format, spec: toSpec(body), webhook } as const;
      const caller = { credential, ipAddress: stateOf(ctx).clientAddress };
      const row = await createExport(em, target, wanted, caller);
      await exportWork.startIfDue({ em, engine }, row);
      ctx.status = 202;
      return row;
    },
    async present(row, call) {
      const webhook = await presentRequestWebhook(call, call.body, 'export', row.id);
      return { ...(await presentAcceptedExport(call.deps.objects, row)), ...webhook };
    },
  }),

  route({
    method: 'get',
    path: '/data/export',
    operationId: 'listExports',
    summary: 'List exports of both kinds, newest first',
    description:
      'Each read makes new URLs, valid for one hour. The state of open exports is the last recorded one.',
    tag: 'Exports',
    permit: 'files.read',
    query: exportListQuery,
    answers: { 200: exportList },
    handle: ({ em, principal: { tenantId }, query }) => listExports(em, tenantId, query),
    async present({ exports, totalCount }, { deps: { objects }, query }) {
      const items = await Promise.all(exports.map((row) => presentExport(objects, row)));
      return listPage(items, totalCount, query);
    },
  }),

  route({
    method: 'get',
    path: '/data/export/:export_id',
    operationId: 'getExport',
    summary: 'State of an export, with a new URL for its file',
    description:
      'Poll it until `status` is `completed` or `failed`. Each read makes a new URL, valid for one ' +
      'hour.',
    tag: 'Exports',
    permit: 'files.read',
    params: exportParams,
    answers: { 200: exportRecord },
    errors: ['NOT_FOUND'],
    handle: ({ em, deps: { engine }, principal: { tenantId }, params }) =>
      exportWork.find({ em, engine }, tenantId, params.export_id),
    present: (row, { deps }) => presentExport(deps.objects, row),
  }),

  route({
    method: 'delete',
    path: '/data/export/:export_id',
    operationId: 'discardExport',
    summary: 'Cancel an export, or remove the file of a finished one',
    tag: 'Exports',
    permit: 'files.write',
    params: exportParams,
    answers: { 200: exportRecord },
    errors: ['NOT_FOUND'],
    async handle({ em, deps: { engine, objects }, principal: { tenantId }, params, log }) {
      const target = { exportId: params.export_id, tenantId };
      const row = await discardExport(em, target);
      await exportWork.startIfDue({ em, engine }, row);
      // An export still being written is removed by its workflow, and by the sweep.
      await cleanExport({ em, objects }, target).catch((error: unknown) => {
        if (!outage(error)) throw error;
        log.warn({ err: error, export_id: row.id }, 'the file of an export is left to the sweep');
      });
      return findExport(em, target);
    },
    present: (row, { deps }) => presentExport(deps.objects, row),
  }),
];

function toSpec(body: DataExportBody): HistorySpec {
  return {
    filter: {
      from: body.start_date?.toISOString(),
      to: body.end_date?.toISOString(),
      minConfidence: body.min_confidence,
      maxConfidence: body.max_confidence,
      terms: body.search_terms,
      sourceTypes: body.source_types && [...new Set(body.source_types)],
    },
    fields: [...new Set(body.fields ?? HISTORY_FIELDS)],
    includeMetadata: body.include_metadata,
    includeFailed: body.include_failed,
    limit: body.limit,
  };
}

export const historyRoute = route({
  method: 'get',
  path: '/data/descriptions',
  operationId: 'listDescriptions',
  summary: 'All generated descriptions, newest first, with statistics',
  tag: 'Exports',
  permit: 'files.read',
  query: historyQuery,
  answers: { 200: historyPage },
  errors: ['SEARCH_TIMEOUT'],
  async handle({ ctx, em, deps, principal: { tenantId }, query }) {
    const { limit, offset } = query;
    const filter = toFilter(query);
    const { items, statistics } = await deps.searches.run(tenantId, clientGone(ctx.res), () =>
      readHistory(em, tenantId, filter, { limit, offset, timeoutMs: deps.searchTimeoutMs }),
    );
    return {
      items: await Promise.all(items.map((item) => presentHistoryItem(deps.objects, item))),
      total_count: statistics.totalCount,
      limit,
      offset,
      has_more: offset + items.length < statistics.totalCount,
      statistics: presentStatistics(statistics),
      filters_applied: presentFilters(filter),
    };
  },
});

function toFilter(query: HistoryQuery): HistoryFilter {
  return {
    from: query.start_date?.toISOString(),
    to: query.end_date?.toISOString(),
    minConfidence: query.min_confidence,
    maxConfidence: query.max_confidence,
    terms: query.search,
    sourceTypes: query.source_types,
  };
}
