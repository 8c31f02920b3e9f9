import { parseChannelName, type ChannelKind, channelName } from '../../domain/live-channels.ts';
import { notFound } from '../../domain/app-error.ts';
import { isUuid } from '../../services/shared/sql.ts';
import type { ChannelDeps, ChannelRequest, LiveChannel, LiveFrame } from './channel.ts';
import { openExportChannel, openExtractionChannel, openFileChannel } from './resource-channel.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import {
  findUploadSession,
  type UploadSessionTarget,
} from '../../services/upload-sessions/find-upload-session.ts';
import { readUploadSession } from '../../services/upload-sessions/read-upload-session.ts';
import { readItemStatuses } from '../../services/upload-sessions/read-items.ts';
import { presentUploadSession } from '../resources/upload-session/present.ts';
import type { FrameType } from './messages.ts';

type Open = (deps: ChannelDeps, request: ChannelRequest) => Promise<LiveChannel>;

const OPEN: Readonly<Record<ChannelKind, Open>> = {
  batch: async (_deps, request) => new UploadSessionChannel(request),
  file: openFileChannel,
  extraction: openExtractionChannel,
  export: openExportChannel,
};

/**
 * Opens a channel for one subscriber. A missing resource may be detected only by the first poll.
 *
 * @throws AppError NOT_FOUND, AMBIGUOUS_ID
 */
export function openChannel(
  deps: ChannelDeps,
  kind: ChannelKind,
  request: ChannelRequest,
): Promise<LiveChannel> {
  return OPEN[kind](deps, request);
}

/**
 * Opens a channel by its name, which must have the full id, so that each channel has one name on a
 * connection.
 */
export async function openNamedChannel(
  deps: ChannelDeps,
  name: string,
  request: Omit<ChannelRequest, 'id'>,
): Promise<LiveChannel> {
  const parsed = parseChannelName(name);
  if (!parsed || !isUuid(parsed.id)) throw notFound('channel');
  return openChannel(deps, parsed.kind, { ...request, id: parsed.id });
}

/**
 * The channel of an upload session for one subscriber: a snapshot, the status of each changed file, and the
 * end.
 */
class UploadSessionChannel implements LiveChannel {
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
