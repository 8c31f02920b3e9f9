import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Context } from 'koa';
import { isOpenSession } from '../../../domain/session.ts';
import { countSession } from '../../../services/count-session-files.ts';
import { findSession } from '../../../services/find-session.ts';
import type { ApiDeps } from '../../deps.ts';
import { eventStream } from '../../responses.ts';
import { route } from '../../route.ts';
import { SessionFrames } from '../../session-frames.ts';
import type { SessionFrame } from '../../session-frames.ts';
import { validate } from '../../validate.ts';
import { sessionParams } from './schema.ts';

/** At most two looks a second, however much happens. */
const LOOK_MS = 500;
/** A look without news, in case one was lost. */
const LOOK_ANYWAY_MS = 5000;
/** Proxies cut connections that are silent for longer. */
const PING_MS = 30_000;

const lastEventId = z.object({
  'Last-Event-ID': z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
});

/** The live channel of a session as server-sent events. */
export const sessionEventsRoute = route({
  method: 'get',
  path: '/files/sessions/:session_id/events',
  operationId: 'streamSessionEvents',
  summary: 'What happens in an upload session, as it happens',
  permission: 'VIEW',
  params: sessionParams,
  responses: eventStream('Frames `snapshot`, `file.status`, `batch.progress`, one last `batch.terminal`'),
  async handle({ ctx, em, deps, principal, params, log }) {
    const id = ctx.get('Last-Event-ID') || undefined;
    const { 'Last-Event-ID': after } = validate(lastEventId, { 'Last-Event-ID': id }, 'header');
    const target = { sessionId: params.session_id, tenantId: principal.tenantId };
    const session = await findSession(em, target);
    const sessionId = session.id;
    if (!isOpenSession(session.status) && (await countSession(em, sessionId)).version === after) {
      // A browser comes back after the end of every stream, but not after this.
      ctx.status = 204;
      return;
    }
    const body = new PassThrough();
    ctx.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    ctx.body = body;
    stream(ctx, deps, new SessionFrames(target, after), sessionId, body).catch((error: unknown) => {
      log.warn({ err: error, session_id: sessionId }, 'a live channel broke; its client comes back');
      body.destroy();
    });
  },
});

async function stream(
  ctx: Context,
  { orm, sessionChanges, draining }: ApiDeps,
  frames: SessionFrames,
  sessionId: string,
  body: PassThrough,
): Promise<void> {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  let news = Promise.withResolvers<void>();
  gone.signal.addEventListener('abort', () => news.resolve());
  const unsubscribe = sessionChanges.subscribe(sessionId, () => news.resolve());
  const ping = setInterval(() => body.write(': ping\n\n'), PING_MS);
  try {
    body.write('retry: 1000\n\n');
    while (!gone.signal.aborted && !draining()) {
      news = Promise.withResolvers();
      const told = await frames.look(orm.em.fork());
      for (const [at, frame] of told.entries()) body.write(written(frame, at === told.length - 1));
      if (frames.ended) break;
      const anyway = setTimeout(() => news.resolve(), LOOK_ANYWAY_MS);
      await Promise.all([news.promise, sleep(LOOK_MS)]);
      clearTimeout(anyway);
    }
  } finally {
    clearInterval(ping);
    unsubscribe();
    body.end();
  }
}

/** Only the last frame of a look has an id: a client that was cut off in between gets a new snapshot. */
function written(frame: SessionFrame, last: boolean): string {
  const id = last ? `id: ${frame.seq}\n` : '';
  return `${id}event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
}
