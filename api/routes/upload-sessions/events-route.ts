import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { z } from 'zod';
import type { Context } from 'koa';
import { isOpenUploadSession } from '../../../domain/upload-sessions/upload-session.ts';
import { countFiles } from '../../../services/upload-sessions/count-files.ts';
import { findUploadSession } from '../../../services/upload-sessions/find-upload-session.ts';
import type { ApiDeps } from '../../deps.ts';
import { createAccessCheck, type AccessCheck } from '../../live/check-access.ts';
import {
  followUploadSession,
  UploadSessionFrames,
  type UploadSessionFrame,
} from '../../live/follow-upload-session.ts';
import { eventStream, noContent } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { validate } from '../../http/validate.ts';
import { sessionParams } from '../../resources/upload-session/schema.ts';
import { uploadSessionFrame } from '../../live/messages.ts';

const ACTION = 'files.read';

/** The last version that the client received whole; 0 for a new client, or one cut off within a version. */
const lastEventId = z.object({
  'Last-Event-ID': z
    .string()
    .regex(/^\d{1,15}(\.\d{1,4})?$/, 'must be the id of an event')
    .default('0')
    .transform((id) => (id.includes('.') ? 0 : Number(id)))
    .describe('Id of the last event that you saw; 0 for none'),
});

/** The live channel of a session as server-sent events. */
export const sessionEventsRoute = route({
  method: 'get',
  path: '/files/sessions/:session_id/events',
  operationId: 'streamUploadSessionEvents',
  summary: 'Stream the events of an upload session',
  description:
    'The frames of the live channel of the session as server-sent events. Reconnect with ' +
    '`Last-Event-ID`; 204 means that the session has ended and all was sent.',
  tag: 'Upload sessions',
  permit: ACTION,
  params: sessionParams,
  headers: lastEventId,
  answers: {
    200: eventStream(
      'Events named after the `type` of the frame in their `data`, which has this schema: a `snapshot` first, then ' +
        '`file.status` and `batch.progress`, one last `batch.terminal`',
      uploadSessionFrame,
    ),
    // Clients must not reconnect.
    204: noContent('The session has ended, and `Last-Event-ID` is that of its last frame'),
  },
  errors: ['NOT_FOUND', 'TOO_MANY_CONNECTIONS'],
  async handle({ ctx, em, deps, principal, params, log }) {
    const id = ctx.get('Last-Event-ID') || undefined;
    const { 'Last-Event-ID': after } = validate(lastEventId, { 'Last-Event-ID': id }, 'header');
    const target = { sessionId: params.session_id, tenantId: principal.tenantId };
    const session = await findUploadSession(em, target);
    const sessionId = session.id;
    if (!isOpenUploadSession(session.status) && (await countFiles(em, sessionId)).version === after) {
      // Browsers reconnect after the end of a stream, but not after 204.
      ctx.status = 204;
      return;
    }
    const release = deps.liveConnectionLimit.acquire(principal.tenantId);
    const body = new PassThrough();
    ctx.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    ctx.body = body;
    const checkAccess = createAccessCheck(ctx, deps, { action: ACTION, tenantId: principal.tenantId });
    stream(ctx, { ...deps, log, checkAccess }, new UploadSessionFrames(target, after), sessionId, body)
      .catch((error: unknown) => {
        log.warn({ err: error, session_id: sessionId }, 'a live channel broke; its client will reconnect');
        body.destroy();
      })
      .finally(release);
  },
});

async function stream(
  ctx: Context,
  deps: ApiDeps & { checkAccess: AccessCheck },
  frames: UploadSessionFrames,
  sessionId: string,
  body: PassThrough,
): Promise<void> {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  // A client that disconnected while its session was read emits no further event.
  if (ctx.res.destroyed) gone.abort();
  const mayGoOn = async (): Promise<boolean> => {
    const refusal = await deps.checkAccess();
    if (refusal) gone.abort();
    return !refusal;
  };
  // Proxies close idle connections.
  const beat = setInterval(() => {
    body.write(': ping\n\n');
    mayGoOn().catch((error: unknown) =>
      // Nothing is delivered until a check has succeeded.
      deps.log.warn({ err: error }, 'the access of a live connection could not be checked'),
    );
  }, deps.liveSockets.pingMs);
  try {
    body.write('retry: 1000\n\n');
    await followUploadSession(deps, {
      sessionId,
      frames,
      signal: gone.signal,
      async send(changes) {
        if (!(await mayGoOn())) return;
        const text = changes.map((frame, at) => serialise(frame, changes.length - 1 - at)).join('');
        if (!body.write(text)) await once(body, 'drain', { signal: gone.signal }).catch(() => undefined);
      },
    });
  } finally {
    clearInterval(beat);
    body.end();
  }
}

/** Only the last frame of a poll carries the version as its id: a client cut off earlier gets a new snapshot. */
function serialise(frame: UploadSessionFrame, left: number): string {
  const id = left > 0 ? `${frame.seq}.${left}` : `${frame.seq}`;
  return `id: ${id}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
}
