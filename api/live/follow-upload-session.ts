import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiDeps } from '../deps.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { isOpenUploadSession, uploadSessionChannel } from '../../domain/upload-sessions/upload-session.ts';
import {
  findUploadSession,
  type UploadSessionTarget,
} from '../../services/upload-sessions/find-upload-session.ts';
import { readUploadSession } from '../../services/upload-sessions/read-upload-session.ts';
import { readItemStatuses } from '../../services/upload-sessions/read-items.ts';
import { presentUploadSession } from '../resources/upload-session/present.ts';
import type { FrameType } from './messages.ts';

/** At most two polls per second, regardless of the number of changes. */
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

/** One message of a session's live channel. */
export interface UploadSessionFrame {
  channel: string;
  /** Version of the session's state: monotonic, and the same on every replica. */
  seq: number;
  type: FrameType;
  timestamp: string;
  data: unknown;
}

/**
 * The state sent to one subscriber of a session so far. Each poll builds the next frames from the rows, so that they
 * agree with the polling endpoints.
 */
export class UploadSessionFrames {
  readonly #target: UploadSessionTarget;
  #seen: Map<number, string> | undefined;
  #seq: number;
  /** Whether the last frame was returned: only a retry changes the session after it, which needs a new subscription. */
  ended = false;

  /** @param after the last `seq` that the client has seen; 0 for none */
  constructor(target: UploadSessionTarget, after: number) {
    this.#target = target;
    // An empty session has version 0, and a new subscriber must get its snapshot.
    this.#seq = after > 0 ? after : -1;
  }

  /**
   * The frames since the last poll; none when nothing has changed.
   *
   * @throws AppError NOT_FOUND
   */
  async poll(em: EntityManager): Promise<UploadSessionFrame[]> {
    const session = await findUploadSession(em, this.#target);
    const record = await readUploadSession(em, session);
    const statuses = await readItemStatuses(em, session.id);
    const seq = record.counts.version;
    const seen = this.#seen;
    this.#seen = new Map(statuses.map(({ index, status }) => [index, status]));
    const over = !isOpenUploadSession(session.status);
    if (seq === this.#seq && !over) return [];

    const frame = (type: UploadSessionFrame['type'], data: unknown): UploadSessionFrame => ({
      channel: uploadSessionChannel(session.id),
      seq,
      type,
      timestamp: new Date().toISOString(),
      data,
    });
    const frames: UploadSessionFrame[] = [];
    // A new subscriber, or one that has missed changes, starts with a snapshot.
    if (!seen && seq !== this.#seq) frames.push(frame('snapshot', presentUploadSession(record)));
    if (seen) {
      const changed = statuses.filter(({ index, status }) => seen.get(index) !== status);
      frames.push(
        ...changed.map(({ index, filename, fileId, status }) =>
          frame('file.status', { index, filename, file_id: fileId, status }),
        ),
      );
      if (!over) frames.push(frame('batch.progress', presentUploadSession(record)));
    }
    if (over) frames.push(frame('batch.terminal', presentUploadSession(record)));
    this.#seq = seq;
    this.ended = over;
    return frames;
  }
}
