import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { followEvents, parseEvent } from '../../../sdk/src/events.ts';
import { Transport } from '../../../sdk/src/transport.ts';
import { startFakeApi } from './tiny-api.ts';

const event = (id: number, type: string, data: unknown = {}) =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ seq: id, type, data })}\n\n`;
const streamed =
  (...events: string[]) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`retry: 1000\n\n: ping\n\n${events.join('')}`);
  };

test('events are parsed, and comments and pings are ignored', () => {
  assert.equal(parseEvent(': ping'), undefined);
  assert.equal(parseEvent('retry: 1000'), undefined);
  assert.deepEqual(parseEvent('event: a\nid: 7\ndata: {"b":\ndata: 1}'), {
    type: 'a',
    id: '7',
    data: { b: 1 },
  });
});

test('waiting follows the stream, reconnects after the last event, and reads the file at the end', async (context) => {
  const lasts: unknown[] = [];
  const { client } = await startFakeApi(context, ({ path, headers }) => {
    if (!path.endsWith('/events')) return [200, { id: 'f', primary_status: 'completed' }];
    lasts.push(headers['last-event-id']);
    if (lasts.length === 1) return streamed(event(3, 'snapshot'));
    return streamed(event(4, 'file.status'), event(5, 'file.terminal'));
  });
  const types: string[] = [];
  const file = await client.wait('f', { onEvent: ({ type }) => types.push(type) });
  assert.equal(file.primary_status, 'completed');
  assert.deepEqual(types, ['snapshot', 'file.status', 'file.terminal']);
  assert.deepEqual(lasts, [undefined, '3']);
});

for (const status of [404, 405, 501]) {
  test(`waiting polls when the event stream is answered with ${status}`, async (context) => {
    let streams = 0;
    const { client, seen } = await startFakeApi(context, ({ path }) => {
      if (!path.endsWith('/events')) {
        return [200, { primary_status: seen.length > 4 ? 'failed' : 'processing' }];
      }
      streams += 1;
      return [status, { code: 'ANY', detail: 'no such route' }];
    });
    assert.equal((await client.wait('f')).primary_status, 'failed');
    assert.equal(streams, 1);
  });
}

test('waiting polls when a proxy answers with a page, and between streams that break', async (context) => {
  let reads = 0;
  const page = await startFakeApi(context, ({ path }) =>
    path.endsWith('/events') ? [200, {}] : [200, { primary_status: ++reads > 2 ? 'completed' : 'pending' }],
  );
  await page.client.wait('f');
  reads = 0;
  const broken = await startFakeApi(context, ({ path }) =>
    path.endsWith('/events')
      ? (response) => response.destroy()
      : [200, { primary_status: ++reads > 1 ? 'completed' : 'pending' }],
  );
  await broken.client.wait('f');
});

test('waiting rejects with the reason of its signal', async (context) => {
  const { client } = await startFakeApi(context, ({ path }) =>
    path.endsWith('/events') ? streamed() : [200, { primary_status: 'processing' }],
  );
  const reason = new Error('enough');
  const stop = new AbortController();
  const waiting = client.wait('f', { signal: stop.signal, live: false });
  stop.abort(reason);
  await assert.rejects(waiting, reason);
});

test('a closed channel yields no more events', async (context) => {
  const { client } = await startFakeApi(context, () => [204]);
  for await (const { type } of client.events('/files/sessions/s')) assert.fail(type);
});

test('a stream that only repeats its snapshot, or is temporarily refused, is retried a few times', async (context) => {
  const repeating = await startFakeApi(context, () => streamed(event(3, 'snapshot')));
  const follow = async (retries: number) => {
    const transport = new Transport({ baseUrl: `${repeating.url}/api/v2` });
    for await (const { type } of followEvents(transport, '/files/f/events', { retries }))
      assert.equal(type, 'snapshot');
  };
  await assert.rejects(follow(1), { code: 'CONNECTION_LOST', message: 'the event stream ended early' });
  // The first connection has a new event, the second one does not.
  assert.equal(repeating.seen.length, 2);

  const { client, seen } = await startFakeApi(context, (_seen, before) =>
    before === 0 ? [503, { code: 'DRAINING', detail: 'soon' }] : streamed(event(1, 'file.terminal')),
  );
  for await (const { type } of client.events('/files/f')) assert.equal(type, 'file.terminal');
  assert.equal(seen.length, 2);
});

test('waiting follows the stream again after a temporary refusal', async (context) => {
  let streams = 0;
  const { client } = await startFakeApi(context, ({ path }) => {
    if (!path.endsWith('/events')) return [200, { primary_status: streams > 3 ? 'completed' : 'processing' }];
    streams += 1;
    if (streams <= 3) return [429, { code: 'TOO_MANY_STREAMS', detail: 'busy' }];
    return streamed(event(1, 'file.terminal'));
  });
  assert.equal((await client.wait('f')).primary_status, 'completed');
  assert.equal(streams, 4);
});
