/**
 * The kinds of resources that live channels follow: upload sessions (`batch`), files, schema extractions and
 * exports.
 */
export const CHANNEL_KINDS = ['batch', 'file', 'extraction', 'export'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** The name of a live channel, such as `file.0b2e6f9a-…`. The database triggers build the same name. */
export function channelName(kind: ChannelKind, id: string): string {
  return `${kind}.${id}`;
}

/** The kind and id in the name of a live channel; undefined for any other name. */
export function parseChannelName(name: string): { kind: ChannelKind; id: string } | undefined {
  const kind = CHANNEL_KINDS.find((each) => name.startsWith(channelName(each, '')));
  return kind && { kind, id: name.slice(channelName(kind, '').length) };
}
