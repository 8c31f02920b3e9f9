import type { EntityManager } from '@mikro-orm/postgresql';
import { isOpenSession, sessionChannel } from '../../domain/upload-sessions/upload-session.ts';
import { findSession } from '../../services/upload-sessions/find-upload-session.ts';
import type { SessionTarget } from '../../services/upload-sessions/find-upload-session.ts';
import { readSession } from '../../services/upload-sessions/read-upload-session.ts';
import { readSessionStatuses } from '../../services/upload-sessions/read-item-statuses.ts';
import { presentSession } from '../routes/upload-sessions/present.ts';

/** One message of a session's live channel. */
export interface SessionFrame {
  channel: string;
  /** Version of the session's state: it only grows, and is the same from every replica. */
  seq: number;
  type: 'snapshot' | 'file.status' | 'batch.progress' | 'batch.terminal';
  timestamp: string;
  data: unknown;
}

/**
 * What a subscriber of one session has seen so far, and what it is to be told next. Frames are made from the rows
 * at each look, so that they say what polling says.
 */
export class SessionFrames {
  readonly #target: SessionTarget;
  #seen: Map<number, string> | undefined;
  #seq: number;
  /** Whether the last frame was sent: nothing changes after it but by a retry, which is a new subscription. */
  ended = false;

  /** @param after the `seq` that the client has seen; 0 for none */
  constructor(target: SessionTarget, after: number) {
    this.#target = target;
    // A session that nothing has come to yet is at 0, and whoever is new must be told of it.
    this.#seq = after > 0 ? after : -1;
  }

  /**
   * The frames since the last look; none when nothing has changed.
   *
   * @throws Refusal NOT_FOUND
   */
  async look(em: EntityManager): Promise<SessionFrame[]> {
    const session = await findSession(em, this.#target);
    const record = await readSession(em, session);
    const statuses = await readSessionStatuses(em, session.id);
    const seq = record.counts.version;
    const seen = this.#seen;
    this.#seen = new Map(statuses.map(({ index, status }) => [index, status]));
    const over = !isOpenSession(session.status);
    if (seq === this.#seq && !over) return [];

    const frame = (type: SessionFrame['type'], data: unknown): SessionFrame => ({
      channel: sessionChannel(session.id),
      seq,
      type,
      timestamp: new Date().toISOString(),
      data,
    });
    const frames: SessionFrame[] = [];
    // Whoever has missed something, or is new, begins with the whole.
    if (!seen && seq !== this.#seq) frames.push(frame('snapshot', presentSession(record)));
    if (seen) {
      const changed = statuses.filter(({ index, status }) => seen.get(index) !== status);
      frames.push(
        ...changed.map(({ index, filename, fileId, status }) =>
          frame('file.status', { index, filename, file_id: fileId, status }),
        ),
      );
      if (!over) frames.push(frame('batch.progress', presentSession(record)));
    }
    if (over) frames.push(frame('batch.terminal', presentSession(record)));
    this.#seq = seq;
    this.ended = over;
    return frames;
  }
}
