import type { EntityManager } from '@mikro-orm/postgresql';
import { channelName } from '../../domain/live-channels.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import {
  findUploadSession,
  type UploadSessionTarget,
} from '../../services/upload-sessions/find-upload-session.ts';
import { readUploadSession } from '../../services/upload-sessions/read-upload-session.ts';
import { readItemStatuses } from '../../services/upload-sessions/read-items.ts';
import { presentUploadSession } from '../resources/upload-session/present.ts';
import type { ChannelRequest, LiveChannel, LiveFrame } from './channel.ts';
import type { FrameType } from './messages.ts';

/**
 * The channel of an upload session for one subscriber: a snapshot, the status of each changed file, and the
 * end.
 */
export class UploadSessionChannel implements LiveChannel {
  readonly name: string;
  readonly #target: UploadSessionTarget;
  #seen: Map<number, string> | undefined;
  #seq: number;
  ended = false;

  constructor({ tenantId, id, after }: ChannelRequest) {
    this.name = channelName('batch', id.toLowerCase());
    this.#target = { tenantId, sessionId: id };
    // An empty session has version 0, and a new subscriber must get its snapshot.
    this.#seq = after > 0 ? after : -1;
  }

  async poll(em: EntityManager): Promise<LiveFrame[]> {
    const session = await findUploadSession(em, this.#target);
    const record = await readUploadSession(em, session);
    const statuses = await readItemStatuses(em, session.id);
    const seq = record.counts.version;
    const seen = this.#seen;
    this.#seen = new Map(statuses.map(({ index, status }) => [index, status]));
    const over = !isOpenUploadSession(session.status);
    if (seq === this.#seq && !over) return [];

    const frame = (type: FrameType, data: unknown): LiveFrame => ({
      channel: this.name,
      seq,
      type,
      timestamp: new Date().toISOString(),
      data,
    });
    const frames: LiveFrame[] = [];
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
