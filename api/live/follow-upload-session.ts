import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiDeps } from '../deps.ts';
import type { UploadSessionFrame, UploadSessionFrames } from './upload-session-frames.ts';

/** At most two looks a second, however much happens. */
const LOOK_MS = 500;
/** A look without news, in case one was lost. */
const LOOK_ANYWAY_MS = 5000;

export interface Subscription {
  sessionId: string;
  frames: UploadSessionFrames;
  /** Ends the subscription. */
  signal: AbortSignal;
  /**
   * Gets the frames of one look. The next look waits until it has resolved: whoever reads slowly is told less often of
   * more, and nothing piles up.
   */
  tell: (frames: readonly UploadSessionFrame[]) => Promise<unknown>;
}

/**
 * Tells one subscriber what happens in a session until it ends, the subscriber leaves, or this process drains.
 *
 * @throws AppError NOT_FOUND, and whatever keeps the rows from being read
 */
export async function followUploadSession(
  { orm, sessionChanges, draining }: Pick<ApiDeps, 'orm' | 'sessionChanges' | 'draining'>,
  { sessionId, frames, signal, tell }: Subscription,
): Promise<void> {
  let news = Promise.withResolvers<void>();
  const wake = () => news.resolve();
  signal.addEventListener('abort', wake);
  const unsubscribe = sessionChanges.subscribe(sessionId, wake);
  try {
    while (!signal.aborted && !draining()) {
      news = Promise.withResolvers();
      const told = await frames.look(orm.em.fork());
      if (signal.aborted) return;
      if (told.length > 0) await tell(told);
      if (frames.ended) return;
      const anyway = setTimeout(wake, LOOK_ANYWAY_MS);
      await Promise.all([news.promise, sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)]);
      clearTimeout(anyway);
    }
  } finally {
    signal.removeEventListener('abort', wake);
    unsubscribe();
  }
}
