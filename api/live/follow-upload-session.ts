import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiDeps } from '../deps.ts';
import type { UploadSessionFrame, UploadSessionFrames } from './upload-session-frames.ts';

/** At most two polls per second, however much happens. */
const MIN_POLL_INTERVAL_MS = 500;
/** Polls even without a notification, in case one was lost. */
const MAX_POLL_INTERVAL_MS = 5000;

export interface Subscription {
  sessionId: string;
  frames: UploadSessionFrames;
  /** Ends the subscription. */
  signal: AbortSignal;
  /**
   * Sends the frames of one poll. The next poll waits for it: a slow reader gets fewer, larger updates, and nothing
   * piles up.
   */
  send: (frames: readonly UploadSessionFrame[]) => Promise<unknown>;
}

/**
 * Sends the changes of a session to one subscriber until it ends, the subscriber leaves, or this process drains.
 *
 * @throws AppError NOT_FOUND, and any error of reading the rows
 */
export async function followUploadSession(
  { orm, sessionChanges, draining }: Pick<ApiDeps, 'orm' | 'sessionChanges' | 'draining'>,
  { sessionId, frames, signal, send }: Subscription,
): Promise<void> {
  let notified = Promise.withResolvers<void>();
  const wake = () => notified.resolve();
  signal.addEventListener('abort', wake);
  const unsubscribe = sessionChanges.subscribe(sessionId, wake);
  try {
    while (!signal.aborted && !draining()) {
      notified = Promise.withResolvers();
      const changes = await frames.poll(orm.em.fork());
      if (signal.aborted) return;
      if (changes.length > 0) await send(changes);
      if (frames.ended) return;
      const fallback = setTimeout(wake, MAX_POLL_INTERVAL_MS);
      const minimum = sleep(MIN_POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
      await Promise.all([notified.promise, minimum]);
      clearTimeout(fallback);
    }
  } finally {
    signal.removeEventListener('abort', wake);
    unsubscribe();
  }
}
