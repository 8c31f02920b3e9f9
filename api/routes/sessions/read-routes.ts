import { FileVariant } from '../../../db/entities/file-variant.ts';
import { checkSessionRunIfReachable } from '../../../services/check-session-run.ts';
import { countSession, ITEM_OUTCOME } from '../../../services/count-session-files.ts';
import { findSession } from '../../../services/find-session.ts';
import { readSessionItems } from '../../../services/read-session-items.ts';
import { readSession } from '../../../services/read-session.ts';
import { summariseSession } from '../../../services/summarise-session.ts';
import { json } from '../../responses.ts';
import { route } from '../../route.ts';
import { presentResult, presentSession, presentSummary } from './present.ts';
import { resultsQuery, sessionParams, sessionRecord, sessionResults, sessionSummary } from './schema.ts';

/** Reading one upload session. */
export const sessionReadRoutes = [
  route({
    method: 'get',
    path: '/files/sessions/:session_id/status',
    operationId: 'getSessionStatus',
    summary: 'Where an upload session stands',
    permission: 'VIEW',
    params: sessionParams,
    responses: json(200, sessionRecord),
    async handle({ em, deps, principal, params }) {
      const target = { sessionId: params.session_id, tenantId: principal.tenantId };
      const session = await findSession(em, target);
      await checkSessionRunIfReachable({ em, engine: deps.engine }, session);
      return presentSession(await readSession(em, session));
    },
  }),

  route({
    method: 'get',
    path: '/files/sessions/:session_id/results',
    operationId: 'getSessionResults',
    summary: 'Results of the files of an upload session',
    permission: 'VIEW',
    params: sessionParams,
    query: resultsQuery,
    responses: json(200, sessionResults),
    async handle({ em, deps, principal, params, query }) {
      const { limit, offset, include_failed: includeFailed } = query;
      const session = await findSession(em, {
        sessionId: params.session_id,
        tenantId: principal.tenantId,
      });
      const counts = await countSession(em, session.id);
      const wanted = includeFailed ? `<> 'pending'` : `in ('completed', 'skipped')`;
      const items = await readSessionItems(em, session.id, {
        where: `${ITEM_OUTCOME} ${wanted}`,
        orderBy: 'i.index',
        limit,
        offset,
      });
      const files = items.flatMap(({ file }) => (file ? [file.id] : []));
      const variants = await em.find(FileVariant, { fileId: { $in: files }, type: 'small_256' });
      const totalCount = counts.completed + counts.skipped + (includeFailed ? counts.failed : 0);
      return {
        session_id: session.id,
        results: await Promise.all(items.map((item) => presentResult(deps.objects, item, variants))),
        total_count: totalCount,
        offset,
        limit,
        has_more: offset + items.length < totalCount,
        summary: {
          total_files: counts.total,
          completed: counts.completed,
          failed: counts.failed,
          skipped: counts.skipped,
        },
      };
    },
  }),

  route({
    method: 'get',
    path: '/files/sessions/:session_id/summary',
    operationId: 'getSessionSummary',
    summary: 'Counts and errors of an upload session',
    permission: 'VIEW',
    params: sessionParams,
    responses: json(200, sessionSummary),
    async handle({ em, deps, principal, params }) {
      const session = await findSession(em, {
        sessionId: params.session_id,
        tenantId: principal.tenantId,
      });
      const counts = await countSession(em, session.id);
      return presentSummary(session, counts, await summariseSession({ em, engine: deps.engine }, session));
    },
  }),
];
