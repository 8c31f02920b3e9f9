import { z } from 'zod';
import { givenKeysOf } from '../../../services/direct-uploads/find-upload.ts';
import { alias } from '../../http/alias.ts';
import { sessionResults, sessionSummary } from '../../resources/upload-session/schema.ts';
import { uploadSessionCancelRoute } from '../upload-sessions/control-routes.ts';
import {
  sessionListRoute,
  uploadSessionResultsRoute,
  uploadSessionStatusRoute,
  uploadSessionSummaryRoute,
} from '../upload-sessions/read-routes.ts';

export function legacySessionPath(sessionId: string, view: 'status' | 'results'): string {
  return `/api/v2/uploads/sessions/${sessionId}/${view}`;
}

const IMAGES = { file_id: 'image_id' };
const withLegacyUrl = <Session extends { session_id: string }>(session: Session) => ({
  ...session,
  results_url: legacySessionPath(session.session_id, 'results'),
});
const result = sessionResults.shape.results.element;

/** Upload sessions under the names of older clients. */
export const legacyUploadSessionAliases = [
  alias(sessionListRoute, {
    path: '/uploads/sessions',
    operationId: 'legacyListUploadSessions',
    summary: 'List upload sessions, newest first',
    rename: { items: 'sessions' },
  }),

  alias(uploadSessionStatusRoute, {
    path: '/uploads/sessions/:session_id/status',
    operationId: 'legacyGetUploadSessionStatus',
    summary: 'Status of an upload session',
    rename: IMAGES,
    present: withLegacyUrl,
  }),

  alias(uploadSessionResultsRoute, {
    path: '/uploads/sessions/:session_id/results',
    operationId: 'legacyGetUploadSessionResults',
    summary: 'Results of the files of an upload session',
    rename: IMAGES,
    answer: sessionResults.extend({
      results: z
        .array(
          result.extend({
            object_key: z
              .string()
              .nullable()
              .describe('Key of the original in the object store; null if it was not stored'),
          }),
        )
        .describe('Ended files, in upload order'),
    }),
    async present(answer, { session, items }, { em }) {
      const given = await givenKeysOf(em, session);
      const keys = items.map(({ item, file }) => given.get(item.index) ?? file?.objectKey ?? null);
      const results = answer.results.map((entry, index) => ({ ...entry, object_key: keys[index] ?? null }));
      return { ...answer, results };
    },
  }),

  alias(uploadSessionCancelRoute, {
    path: '/uploads/sessions/:session_id/cancel',
    operationId: 'legacyCancelUploadSession',
    summary: 'Cancel an upload session',
    rename: IMAGES,
    present: withLegacyUrl,
  }),

  alias(uploadSessionSummaryRoute, {
    path: '/uploads/batch/:batch_id/status',
    operationId: 'legacyGetBatchStatus',
    summary: 'Counts and errors of a batch',
    rename: { session_id: 'batch_id' },
    answer: sessionSummary.extend({ tenant_id: z.uuid().describe('Id of the account') }),
    present: (answer, { session }) => ({ ...answer, tenant_id: session.tenantId }),
  }),
];
