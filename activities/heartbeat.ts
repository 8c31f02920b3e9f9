import { Context } from '@temporalio/activity';

const INTERVAL_MS = 1000;

/**
 * Runs one attempt with a sign of life each second, and a signal that is aborted when the attempt is cancelled, has
 * run out of time, or the worker shuts down.
 */
export async function withHeartbeat<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), INTERVAL_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(beat);
  }
}
