import { reconcileUploadSessionIfReachable } from '../../../services/upload-sessions/reconcile-upload-session.ts';
import { countFiles } from '../../../services/upload-sessions/count-files.ts';
import { findUploadSession } from '../../../services/upload-sessions/find-upload-session.ts';
import {
  readResults,
  readUploadSession,
  listUploadSessions,
} from '../../../services/upload-sessions/read-upload-session.ts';
import { summarizeUploadSession } from '../../../services/upload-sessions/summarize-upload-session.ts';
import { route } from '../../http/route.ts';
import { listPage } from '../../resources/fields.ts';
import {
  presentResults,
  presentUploadSession,
  presentSummary,
  presentUploadSessionItem,
} from '../../resources/upload-session/present.ts';
import {
  resultsQuery,
  sessionParams,
  sessionRecord,
  sessionResults,
  sessionSummary,
  sessionList,
  sessionListQuery,
} from '../../resources/upload-session/schema.ts';

export const uploadSessionStatusRoute = recordRoute(
  '/files/sessions/:session_id/status',
  'getUploadSessionStatus',
  'Status of an upload session',
);

export const uploadSessionRoute = recordRoute(
  '/files/sessions/:session_id',
  'getUploadSession',
  'One upload session; the same as its status',
);

function recordRoute(path: string, operationId: string, summary: string) {
  return route({
    method: 'get',
    path,
    operationId,
    summary,
    tag: 'Upload sessions',
    permit: 'files.read',
    params: sessionParams,
    answers: { 200: sessionRecord },
    errors: ['NOT_FOUND'],
    async handle({ em, deps, principal, params }) {
      const target = { sessionId: params.session_id, tenantId: principal.tenantId };
      const session = await findUploadSession(em, target);
      await reconcileUploadSessionIfReachable({ em, engine: deps.engine }, session);
      return readUploadSession(em, session);
    },
    present: presentUploadSession,
  });
}

export const uploadSessionResultsRoute = route({
  method: 'get',
  path: '/files/sessions/:session_id/results',
  operationId: 'getUploadSessionResults',
  summary: 'Results of the files of an upload session',
  tag: 'Upload sessions',
  permit: 'files.read',
  params: sessionParams,
  query: resultsQuery,
  answers: { 200: sessionResults },
  errors: ['NOT_FOUND'],
  handle: ({ em, principal, params, query }) =>
    readResults(em, { sessionId: params.session_id, tenantId: principal.tenantId }, query),
  present: (results, { deps }) => presentResults(deps.objects, results),
});

export const uploadSessionSummaryRoute = route({
  method: 'get',
  path: '/files/sessions/:session_id/summary',
  operationId: 'getUploadSessionSummary',
  summary: 'Counts and errors of an upload session',
  tag: 'Upload sessions',
  permit: 'files.read',
  params: sessionParams,
  answers: { 200: sessionSummary },
  errors: ['NOT_FOUND'],
  async handle({ em, deps, principal, params }) {
    const target = { sessionId: params.session_id, tenantId: principal.tenantId };
    const session = await findUploadSession(em, target);
    await reconcileUploadSessionIfReachable({ em, engine: deps.engine }, session);
    const counts = await countFiles(em, session.id);
    const summary = await summarizeUploadSession({ em, ...deps }, session);
    return { session, counts, summary };
  },
  present: ({ session, counts, summary }) => presentSummary(session, counts, summary),
});

export const sessionListRoute = route({
  method: 'get',
  path: '/files/sessions',
  operationId: 'listUploadSessions',
  summary: 'List upload sessions',
  tag: 'Upload sessions',
  permit: 'files.read',
  query: sessionListQuery,
  answers: { 200: sessionList },
  handle: ({ em, principal, query: { upload_method: uploadMethod, ...query } }) =>
    listUploadSessions(em, principal.tenantId, { ...query, uploadMethod }),
  present({ sessions, totalCount }, { query: { limit, offset } }) {
    const items = sessions.map(({ session, counts, firstFilename, startedBy }) => ({
      ...presentUploadSessionItem(session, counts),
      first_filename: firstFilename,
      started_by: startedBy,
    }));
    return listPage(items, totalCount, { limit, offset });
  },
});
