import { checkSessionRunIfReachable } from '../../../services/upload-sessions/reconcile-upload-session.ts';
import { countSession } from '../../../services/upload-sessions/count-files.ts';
import { findSession } from '../../../services/upload-sessions/find-upload-session.ts';
import { readSessionResults } from '../../../services/upload-sessions/read-results.ts';
import { readSession } from '../../../services/upload-sessions/read-upload-session.ts';
import { summariseSession } from '../../../services/upload-sessions/summarize-upload-session.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentResults, presentSession, presentSummary } from './present.ts';
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
      const target = { sessionId: params.session_id, tenantId: principal.tenantId };
      return presentResults(deps.objects, await readSessionResults(em, target, query));
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
