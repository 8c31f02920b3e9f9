import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { z } from 'zod';
import { AppError } from '../../domain/app-error.ts';
import type { ChannelKind } from '../../domain/live-channels.ts';
import type { Call } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import { LIVE_ACTION, type LiveFrame } from './channel.ts';
import { createAccessCheck } from './check-access.ts';
import { followChannel } from './follow-channel.ts';
import { openChannel } from './open-channel.ts';

/**
 * The last version that the client received completely; 0 for a new client, or if the connection broke within
 * a version.
 */
export const lastEventId = z.object({
  'Last-Event-ID': z
    .string()
    .regex(/^(\d{1,15}(\.\d{1,4})?)?$/, 'must be the id of an event')
    .default('')
    .transform((id) => (id.includes('.') ? 0 : Number(id)))
    .describe('Id of the last event that you saw; empty or 0 for none'),
});

/**
 * Streams a live channel as server-sent events; responds 204 if the channel has ended and the client has seen
 * its last frame.
 *
 * @throws AppError NOT_FOUND, AMBIGUOUS_ID, TOO_MANY_CONNECTIONS
 */
export async function streamEvents(
  call: Pick<Call<unknown, unknown, unknown>, 'ctx' | 'deps' | 'principal' | 'log'>,
  kind: ChannelKind,
  id: string,
): Promise<void> {
  const { ctx, deps, principal, log } = call;
  const { tenantId } = principal;
  const seen = ctx.get('Last-Event-ID');
  const { 'Last-Event-ID': after } = validate(lastEventId, { 'Last-Event-ID': seen }, 'header');
  const gone = new AbortController();
  const release = deps.liveConnectionLimit.acquire(tenantId);
  const close = (): void => {
    gone.abort();
    release();
  };
  // For every kind of response, including 204 and errors.
  ctx.res.once('close', close);
  // A client that has already disconnected emits no further event.
  if (ctx.res.destroyed) close();
  const channel = await openChannel(deps, kind, { tenantId, id, after });
  const frames = followChannel(deps, channel, { tenantId, signal: gone.signal });
  const next = await frames.next();
  const first = next.done ? [] : next.value;
  if (channel.ended && first[0]?.type !== 'snapshot') {
    // Browsers reconnect after the end of a stream, but not after 204.
    ctx.status = 204;
    return void (await frames.return());
  }
  const body = new PassThrough();
  ctx.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
  ctx.body = body;
  deliver(call, { first, frames, gone }, body).catch((error: unknown) => {
    // The resource was deleted: a client that reconnects gets 404.
    if (error instanceof AppError && error.code === 'NOT_FOUND') return;
    log.warn({ err: error, channel: channel.name }, 'a live channel broke; its client will reconnect');
    body.destroy();
  });
}

interface Delivery {
  first: readonly LiveFrame[];
  frames: ReturnType<typeof followChannel>;
  gone: AbortController;
}

/** Writes the frames as events until there are no more, the client disconnects, or its access ends. */
async function deliver(
  { ctx, deps, principal, log }: Parameters<typeof streamEvents>[0],
  { first, frames, gone }: Delivery,
  body: PassThrough,
): Promise<void> {
  const checkAccess = createAccessCheck(ctx, deps, { action: LIVE_ACTION, tenantId: principal.tenantId });
  const mayGoOn = async (): Promise<boolean> => {
    const refusal = await checkAccess();
    if (refusal) gone.abort();
    return !refusal;
  };
  const write = async (batch: readonly LiveFrame[]): Promise<void> => {
    if (batch.length === 0 || !(await mayGoOn())) return;
    const text = batch.map((frame, at) => serialise(frame, batch.length - 1 - at)).join('');
    if (!body.write(text)) await once(body, 'drain', { signal: gone.signal }).catch(() => undefined);
  };
  // Proxies close idle connections.
  const beat = setInterval(() => {
    body.write(': ping\n\n');
    mayGoOn().catch((error: unknown) =>
      // No frame is sent before an access check has succeeded.
      log.warn({ err: error }, 'the access of a live connection could not be checked'),
    );
  }, deps.liveSockets.pingMs);
  try {
    body.write('retry: 1000\n\n');
    await write(first);
    for await (const batch of frames) await write(batch);
  } finally {
    clearInterval(beat);
    await frames.return();
    body.end();
  }
}

/** Only the last frame of a poll carries the version as its id: a client cut off earlier gets a new snapshot. */
function serialise(frame: LiveFrame, left: number): string {
  const id = left > 0 ? `${frame.seq}.${left}` : `${frame.seq}`;
  return `id: ${id}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
}
