import type { EntityManager } from '@mikro-orm/postgresql';
import { isOpenUploadSession, uploadSessionChannel } from '../../domain/upload-sessions/upload-session.ts';
import {
  findUploadSession,
  type UploadSessionTarget,
} from '../../services/upload-sessions/find-upload-session.ts';
import { readUploadSession } from '../../services/upload-sessions/read-upload-session.ts';
import { readItemStatuses } from '../../services/upload-sessions/read-item-statuses.ts';
import { presentUploadSession } from '../resources/upload-session/present.ts';

/** One message of a session's live channel. */
export interface UploadSessionFrame {
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
export class UploadSessionFrames {
  readonly #target: UploadSessionTarget;
  #seen: Map<number, string> | undefined;
  #seq: number;
  /** Whether the last frame was sent: nothing changes after it but by a retry, which is a new subscription. */
  ended = false;

  /** @param after the `seq` that the client has seen; 0 for none */
  constructor(target: UploadSessionTarget, after: number) {
    this.#target = target;
    // A session that nothing has come to yet is at 0, and whoever is new must be told of it.
    this.#seq = after > 0 ? after : -1;
  }

  /**
   * The frames since the last look; none when nothing has changed.
   *
   * @throws AppError NOT_FOUND
   */
  async look(em: EntityManager): Promise<UploadSessionFrame[]> {
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
    // Whoever has missed something, or is new, begins with the whole.
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
