import { ApiError, ConnectionError, DarkroomError } from './errors.ts';
import { delay, isRetryable, pauseMs, type Transport } from './transport.ts';

/** One server-sent event of a live channel. */
export interface LiveEvent {
  /** The kind of event, such as `file.status`. */
  type: string;
  /** The frame: channel, seq, type, timestamp, and the changed data. */
  data: unknown;
}

/** The server sends data at least every 30 seconds. */
const SILENT_MS = 60_000;
/** The API sends its first line immediately; proxies that buffer streams send nothing. */
const FIRST_BYTES_MS = 10_000;
/** Enough retries to survive a restart of the server. */
const USUAL_RETRIES = 6;

/**
 * The events of a live channel until it ends. Reconnects continue after the last event.
 *
 * @param path    path of the event stream in the API
 * @param options `retries`: maximum number of consecutive reconnects without a new event
 * @throws ApiError or ConnectionError if the stream cannot be followed; the reason of the signal
 */
export async function* followEvents(
  transport: Transport,
  path: string,
  { signal, retries = USUAL_RETRIES }: { signal?: AbortSignal | undefined; retries?: number } = {},
): AsyncGenerator<LiveEvent, void, undefined> {
  let lastId = '';
  for (let failures = 0; ;) {
    // A server that is shutting down ends its streams early.
    let trouble: unknown = new ConnectionError('CONNECTION_LOST', 'the event stream ended early');
    try {
      for await (const { id, ...event } of readOnce(transport, path, { lastId, signal })) {
        if (id !== undefined && id !== lastId) [lastId, failures] = [id, 0];
        if (event.type === '') return;
        yield event;
        if (event.type.endsWith('.terminal')) return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      trouble = error;
    }
    failures += 1;
    const asked = trouble instanceof ApiError ? trouble.retryAfterMs : 0;
    if (!isRetryable(trouble) || failures > retries || asked > transport.patienceMs) throw trouble;
    await delay(pauseMs(failures, asked), signal);
  }
}

/** The events of one connection. For a channel that has ended, yields one event without a type. */
async function* readOnce(
  transport: Transport,
  path: string,
  { lastId, signal }: { lastId: string; signal: AbortSignal | undefined },
): AsyncGenerator<LiveEvent & { id?: string | undefined }, void, undefined> {
  const headers = { Accept: 'text/event-stream', ...(lastId && { 'Last-Event-ID': lastId }) };
  yield* readEvents(transport, () => transport.request('GET', path, { headers }), signal, FIRST_BYTES_MS);
}

/**
 * The events in the response to a request, which is sent once. For status 204, yields one event without a type.
 *
 * @throws ApiError, ConnectionError, DarkroomError NO_EVENTS, the reason of the signal
 */
export async function* readEvents(
  transport: Transport,
  request: () => Request | Promise<Request>,
  signal: AbortSignal | undefined,
  firstBytesMs = SILENT_MS,
): AsyncGenerator<LiveEvent & { id?: string | undefined }, void, undefined> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), firstBytesMs);
  const both = AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]);
  try {
    const response = await transport.send(request, {
      signal: both,
      retries: 0,
      timeoutMs: 2 ** 31 - 1,
      repeatable: true,
    });
    if (response.status === 204) return yield { type: '', data: undefined };
    if (!response.headers.get('content-type')?.includes('text/event-stream') || !response.body) {
      throw new DarkroomError('NO_EVENTS', 'the server did not return an event stream');
    }
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    try {
      for (let text = ''; ;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENT_MS);
        const blocks = (text + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const event = parseEvent(block);
          if (event) yield event;
        }
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof DarkroomError) throw error;
    throw new ConnectionError('CONNECTION_LOST', 'the event stream was interrupted', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Parses one event; undefined for a block without data, such as a comment. */
export function parseEvent(block: string): (LiveEvent & { id: string | undefined }) | undefined {
  const fields = new Map<string, string[]>();
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? [];
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  const data = fields.get('data')?.join('\n');
  if (data === undefined) return undefined;
  const type = fields.get('event')?.at(-1) ?? 'message';
  try {
    return { type, data: JSON.parse(data) as unknown, id: fields.get('id')?.at(-1) };
  } catch (error) {
    throw new ConnectionError('CONNECTION_LOST', 'the event stream is not JSON', { cause: error });
  }
}
