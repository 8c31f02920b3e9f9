import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import { createPace, type PaceLimit } from '../../services/uploads/streaming/upload-pace.ts';
import { stateOf } from './state.ts';

const SECOND_MS = 1000;
/** How long the rest of an unwanted body is drained, so that the client gets to read the response. */
const DRAIN_MS = 5000;

/**
 * Watches the body of every request, whether a route reads it or not: one that arrives too slowly aborts `bodyTooSlow`
 * of the request's state with UPLOAD_TOO_SLOW, and the rest of a body after the response is drained for a while.
 */
export function watchBody(limit: PaceLimit): Middleware {
  return async (ctx, next) => {
    const { req, res } = ctx;
    if (hasBody(req)) {
      const tooSlow = new AbortController();
      stateOf(ctx).bodyTooSlow = tooSlow.signal;
      watchPace(req, limit, () => {
        if (!res.headersSent) ctx.set('Connection', 'close');
        const rate = `${limit.bytesPerSecond} bytes a second over ${limit.overSeconds} s`;
        tooSlow.abort(new AppError('UPLOAD_TOO_SLOW', `the body is slower than ${rate}`));
      });
      closeGently(req);
      res.once('finish', () => drain(req));
    }
    await next();
  };
}

/** Rejects with the reason when the signal aborts; never without a signal. */
export function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Counts at the socket, because a listener for data would start the flow before a route reads it. */
function watchPace(request: IncomingMessage, limit: PaceLimit, onTooSlow: () => void): void {
  const pace = createPace(limit);
  const { socket } = request;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    const now = socket.bytesRead;
    const backpressure = request.readableLength > 0 || request.isPaused();
    if (!pace.second(now - before, backpressure)) {
      clearInterval(timer);
      onTooSlow();
    }
    before = now;
  }, SECOND_MS);
  request.once('close', () => clearInterval(timer));
}

/**
 * Node destroys the connection right after its last response. If the body is still arriving, the kernel then resets the
 * connection, and a client that has not read the response yet loses it. So only the server's half is closed until the
 * client closes its own.
 */
function closeGently(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => {
    Reflect.deleteProperty(socket, 'destroySoon');
    if (request.complete) return socket.destroySoon();
    socket.end();
    const timer = setTimeout(() => socket.destroy(), DRAIN_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}

function drain(request: IncomingMessage): void {
  Reflect.deleteProperty(request.socket, 'destroySoon');
  if (request.complete) return;
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => request.destroy(), DRAIN_MS);
  request.once('close', () => clearTimeout(timer));
}
