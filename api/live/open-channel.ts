import { parseChannelName, type ChannelKind } from '../../domain/live-channels.ts';
import { notFound } from '../../domain/app-error.ts';
import { isUuid } from '../../services/shared/sql.ts';
import type { ChannelDeps, ChannelRequest, LiveChannel } from './channel.ts';
import { openExportChannel, openExtractionChannel, openFileChannel } from './resource-channel.ts';
import { UploadSessionChannel } from './upload-session-channel.ts';

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
