import type { Invariant } from './invariant.ts';

/** The request for the metrics itself. */
const OWN_REQUESTS = 1;

export const uploadMemory: Invariant = {
  id: 'I9',
  title: 'no upload memory is reserved when there are no uploads',
  async *check({ metrics }) {
    const text = await metrics();
    const held = readGauge(text, 'darkroom_upload_memory_bytes');
    const requests = readGauge(text, 'darkroom_http_requests_in_progress');
    if (held === undefined || requests === undefined) yield 'the API does not report its upload memory';
    else if (held > 0 && requests <= OWN_REQUESTS) yield `${held} bytes of upload memory are still reserved`;
  },
};

function readGauge(text: string, name: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}
