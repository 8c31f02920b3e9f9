import { cancelUploadSession } from '../../../services/upload-sessions/cancel-upload-session.ts';
import { reconcileUploadSessionIfReachable } from '../../../services/upload-sessions/reconcile-upload-session.ts';
import { countFiles } from '../../../services/upload-sessions/count-files.ts';
import { findUploadSession } from '../../../services/upload-sessions/find-upload-session.ts';
import { listUploadSessions } from '../../../services/upload-sessions/list-upload-sessions.ts';
import { readResults } from '../../../services/upload-sessions/read-results.ts';
import { readUploadSession } from '../../../services/upload-sessions/read-upload-session.ts';
import { summarizeUploadSession } from '../../../services/upload-sessions/summarize-upload-session.ts';
import { tellSessionChanged } from '../../../services/upload-sessions/tell-session.ts';
import { abortBatchUploads } from '../../../services/legacy-batches/waiting-batches.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentResults, presentUploadSessionItem } from '../../resources/upload-session/present.ts';
import { resultsQuery, sessionListQuery, sessionParams } from '../../resources/upload-session/schema.ts';
import { presentLegacyBatchStatus, presentLegacyResults, presentLegacySession } from './present.ts';
import {
  batchParams,
  legacyBatchStatus,
  legacySession,
  legacySessionList,
  legacySessionResults,
} from './schema.ts';

/** Upload sessions under the names of older clients. */
export const legacySessionRoutes = [
  route({
    method: 'get',
    path: '/uploads/sessions',
    operationId: 'legacyListSessions',
    summary: 'Upload sessions, the newest first; now GET /files/sessions',
    permission: 'VIEW',
    query: sessionListQuery,
    responses: json(200, legacySessionList),
    async handle({ em, principal, query }) {
      const { limit, offset, status, upload_method: uploadMethod } = query;
      const wanted = { status, uploadMethod, limit, offset };
      const { sessions: page, totalCount } = await listUploadSessions(em, principal.tenantId, wanted);
      const sessions = page.map(({ session, counts }) => presentUploadSessionItem(session, counts));
      return {
        sessions,
        total_count: totalCount,
        limit,
        offset,
        has_more: offset + sessions.length < totalCount,
      };
    },
  }),

  route({
    method: 'get',
    path: '/uploads/sessions/:session_id/status',
    operationId: 'legacyGetSessionStatus',
    summary: 'Where an upload session stands; now GET /files/sessions/{session_id}/status',
    permission: 'VIEW',
    params: sessionParams,
    responses: json(200, legacySession),
    async handle({ em, deps, principal, params }) {
      const session = await findUploadSession(em, {
        sessionId: params.session_id,
        tenantId: principal.tenantId,
      });
      await reconcileUploadSessionIfReachable({ em, engine: deps.engine }, session);
      return presentLegacySession(await readUploadSession(em, session));
    },
  }),

  route({
    method: 'get',
    path: '/uploads/sessions/:session_id/results',
    operationId: 'legacyGetSessionResults',
    summary: 'Results of the files of an upload session; now GET /files/sessions/{session_id}/results',
    permission: 'VIEW',
    params: sessionParams,
    query: resultsQuery,
    responses: json(200, legacySessionResults),
    async handle({ em, deps, principal, params, query }) {
      const target = { sessionId: params.session_id, tenantId: principal.tenantId };
      const results = await readResults(em, target, query);
      return presentLegacyResults(
        await presentResults(deps.objects, results),
        results.items.map(({ file }) => file),
      );
    },
  }),

  route({
    method: 'post',
    path: '/uploads/sessions/:session_id/cancel',
    operationId: 'legacyCancelSession',
    summary: 'Stop an upload session; now POST /files/sessions/{session_id}/cancel',
    permission: 'EDIT',
    params: sessionParams,
    responses: json(200, legacySession),
    async handle({ em, deps, principal, params }) {
      const target = { sessionId: params.session_id, tenantId: principal.tenantId };
      const session = await cancelUploadSession(em, target);
      await tellSessionChanged({ em, engine: deps.engine }, session);
      await abortBatchUploads({ em, engine: deps.engine }, session, 'the session was cancelled');
      return presentLegacySession(await readUploadSession(em, session));
    },
  }),

  route({
    method: 'get',
    path: '/uploads/batch/:batch_id/status',
    operationId: 'legacyGetBatchStatus',
    summary: 'Counts and errors of a batch; now GET /files/sessions/{session_id}/summary',
    permission: 'VIEW',
    params: batchParams,
    responses: json(200, legacyBatchStatus),
    async handle({ em, deps: { engine }, principal, params }) {
      const session = await findUploadSession(em, {
        sessionId: params.batch_id,
        tenantId: principal.tenantId,
      });
      const counts = await countFiles(em, session.id);
      return presentLegacyBatchStatus(session, counts, await summarizeUploadSession({ em, engine }, session));
    },
  }),
];
