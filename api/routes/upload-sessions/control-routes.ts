import {
  cancelUploadSession,
  pauseUploadSession,
} from '../../../services/upload-sessions/cancel-upload-session.ts';
import { readUploadSession } from '../../../services/upload-sessions/read-upload-session.ts';
import { retryUploadSession } from '../../../services/upload-sessions/retry-upload-session.ts';
import { announceUploadSession } from '../../../services/upload-sessions/reconcile-upload-session.ts';
import { retryPausedSteps } from '../../../services/upload-sessions/retry-paused-steps.ts';
import { abortBatchUploads } from '../../../services/legacy-batches/waiting-batches.ts';
import { route } from '../../http/route.ts';
import { presentUploadSession } from '../../resources/upload-session/present.ts';
import { retriedSession, sessionParams, sessionRecord } from '../../resources/upload-session/schema.ts';

export const uploadSessionCancelRoute = changeRoute(
  'cancel',
  'cancelUploadSession',
  'Cancel an upload session; completed work is kept',
  cancelUploadSession,
);

/** Each operation changes the row first, so that responses show it at once, then reconciles it with the engine. */
export const sessionControlRoutes = [
  uploadSessionCancelRoute,
  changeRoute(
    'pause',
    'pauseUploadSession',
    'Pause an upload session: no further file or step is started',
    (em, target) => pauseUploadSession(em, target, true),
  ),
  changeRoute('resume', 'resumeUploadSession', 'Resume a paused upload session', (em, target) =>
    pauseUploadSession(em, target, false),
  ),

  route({
    method: 'post',
    path: '/files/sessions/:session_id/retry-failed',
    operationId: 'retryUploadSession',
    summary: 'Retry the failed components of the files of an upload session',
    description: 'Runs the failed components of all files of the session again, and nothing else.',
    accepted:
      'the files run again. Poll `GET /files/sessions/{session_id}/status` until the session has ended.',
    cost: 'retry',
    tag: 'Upload sessions',
    permit: 'files.write',
    params: sessionParams,
    answers: { 202: retriedSession },
    errors: ['NOT_FOUND', 'UPLOAD_SESSION_ENDED', 'WORK_IN_PROGRESS', 'NOTHING_TO_RETRY', 'QUOTA_EXHAUSTED'],
    async handle({ ctx, em, deps, principal, params }) {
      const work = { em, engine: deps.engine };
      const target = { sessionId: params.session_id, tenantId: principal.tenantId };
      const { session, retried } = await retryUploadSession(em, principal, target);
      await announceUploadSession(work, session);
      ctx.status = 202;
      return { ...presentUploadSession(await readUploadSession(em, session)), retried_files: retried };
    },
  }),
];

function changeRoute(
  action: string,
  operationId: string,
  summary: string,
  change: typeof cancelUploadSession,
) {
  return route({
    method: 'post',
    path: `/files/sessions/:session_id/${action}`,
    operationId,
    summary,
    tag: 'Upload sessions',
    permit: 'files.write',
    params: sessionParams,
    answers: { 200: sessionRecord },
    errors: ['NOT_FOUND', 'UPLOAD_SESSION_ENDED'],
    async handle({ em, deps, principal, params }) {
      const target = { sessionId: params.session_id, tenantId: principal.tenantId };
      const session = await change(em, target);
      await announceUploadSession({ em, engine: deps.engine }, session);
      if (action === 'resume') await retryPausedSteps({ em, engine: deps.engine }, session);
      if (session.status === 'cancelled') {
        await abortBatchUploads({ em, engine: deps.engine }, session, 'the session was cancelled');
      }
      return readUploadSession(em, session);
    },
    present: presentUploadSession,
  });
}
