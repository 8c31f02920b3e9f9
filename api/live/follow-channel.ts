import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/app-error.ts';
import type { ApiDeps } from '../deps.ts';
import type { LiveChannel, LiveFrame } from './channel.ts';

/** At most two polls per second, regardless of the number of changes. */
const MIN_POLL_INTERVAL_MS = 500;
/**
 * Interval of polls without a notification: one may be lost, and some progress is known only to the engine.
 */
const MAX_POLL_INTERVAL_MS = 5000;

export interface Follower {
  tenantId: string;
  /** Ends the subscription. */
  signal: AbortSignal;
}

/**
 * Yields the frames of each poll of a channel, possibly none, until it ends, the subscriber leaves, or this
 * process drains. The next poll waits until the previous frames were sent: a slow reader gets fewer, larger
 * updates, and no backlog builds up.
 *
 * @throws AppError NOT_FOUND; RATE_LIMITED for the first poll only; errors of reading the rows
 */
export async function* followChannel(
  {
    orm,
    channelChanges,
    livePolls,
    draining,
  }: Pick<ApiDeps, 'orm' | 'channelChanges' | 'livePolls' | 'draining'>,
  channel: LiveChannel,
  { tenantId, signal }: Follower,
): AsyncGenerator<readonly LiveFrame[], void, void> {
  let notified = Promise.withResolvers<void>();
  const wake = () => notified.resolve();
  signal.addEventListener('abort', wake);
  let unsubscribe: (() => void) | undefined;

  async function poll(): Promise<LiveFrame[]> {
    try {
      return await livePolls.run(tenantId, signal, () => channel.poll(orm.em.fork()));
    } catch (error) {
      const refused = error instanceof AppError && error.code === 'RATE_LIMITED';
      // A skipped poll is made up for by the next one.
      if (refused && unsubscribe) return [];
      throw error;
    }
  }

  try {
    while (!signal.aborted && !draining()) {
      notified = Promise.withResolvers();
      const frames = await poll();
      if (signal.aborted) return;
      // Only after the first poll, which checks that the resource exists. The subscription wakes this loop
      // once it is in effect.
      if (!channel.ended) unsubscribe ??= channelChanges.subscribe(channel.name, wake);
      yield frames;
      if (channel.ended) return;
      const fallback = setTimeout(wake, MAX_POLL_INTERVAL_MS);
      const minimum = sleep(MIN_POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
      await Promise.all([notified.promise, minimum]);
      clearTimeout(fallback);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', wake);
    unsubscribe?.();
  }
}
