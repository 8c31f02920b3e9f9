import { reconcileUploadSessionIfReachable } from '../../../services/upload-sessions/reconcile-upload-session.ts';
import { countFiles } from '../../../services/upload-sessions/count-files.ts';
import { findUploadSession } from '../../../services/upload-sessions/find-upload-session.ts';
import { readResults } from '../../../services/upload-sessions/read-results.ts';
import { readUploadSession } from '../../../services/upload-sessions/read-upload-session.ts';
import { summarizeUploadSession } from '../../../services/upload-sessions/summarize-upload-session.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import {
  presentResults,
  presentUploadSession,
  presentSummary,
} from '../../resources/upload-session/present.ts';
import {
  resultsQuery,
  sessionParams,
  sessionRecord,
  sessionResults,
  sessionSummary,
} from '../../resources/upload-session/schema.ts';

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
      const session = await findUploadSession(em, target);
      await reconcileUploadSessionIfReachable({ em, engine: deps.engine }, session);
      return presentUploadSession(await readUploadSession(em, session));
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
      return presentResults(deps.objects, await readResults(em, target, query));
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
      const session = await findUploadSession(em, {
        sessionId: params.session_id,
        tenantId: principal.tenantId,
      });
      const counts = await countFiles(em, session.id);
      return presentSummary(
        session,
        counts,
        await summarizeUploadSession({ em, engine: deps.engine }, session),
      );
    },
  }),
];
