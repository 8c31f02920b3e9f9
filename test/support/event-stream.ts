import type { Json } from './api.ts';
import { recordMessage, type ObservedMessage } from './observed-answers.ts';

export interface ServerSentEvent {
  id: string | undefined;
  event: string;
  data: Json;
}

const FRAMES: Readonly<Record<string, ObservedMessage['schema']>> = {
  file: 'FileFrame',
  extraction: 'ExtractionFrame',
  export: 'ExportFrame',
};

/** The schema in the OpenAPI document for the frames of a channel. */
function frameOf(channel: string): ObservedMessage['schema'] {
  return FRAMES[channel.split('.')[0] ?? ''] ?? 'UploadSessionFrame';
}

/** Reads server-sent events until the server ends the stream, the reader stops, or the deadline passes. */
export async function* readEvents(
  url: string,
  headers: Record<string, string>,
  seconds = 60,
): AsyncGenerator<ServerSentEvent, void, void> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(seconds * 1000) });
  if (response.status !== 200 || !response.body) throw new Error(`answered ${response.status}`);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (!data) continue;
      const frame: Json = JSON.parse(data);
      recordMessage(frameOf(frame.channel), frame);
      yield { id: field('id'), event: field('event') ?? 'message', data: frame };
    }
  }
}
