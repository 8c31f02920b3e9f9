import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError, ConnectionError, Darkroom, isRetryable, pauseMs } from '../../../sdk/src/index.ts';
import { retryAfterMs } from '../../../sdk/src/errors.ts';
import { startFakeApi } from './tiny-api.ts';

const chance = fc.double({ min: 0, max: 1, noNaN: true });
const file = { params: { path: { file_id: 'f' } } };
const refused = (status: number, code: string) => new ApiError(code, code, { status });

test('pauses grow to at most 30 seconds and are never shorter than Retry-After', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), chance, fc.nat(600_000), (failures, luck, asked) => {
      const own = pauseMs(failures, 0, luck);
      assert.ok(own >= 250 && own <= 30_000);
      assert.ok(pauseMs(failures + 1, 0, luck) >= own);
      if (asked > 0) assert.ok(pauseMs(failures, asked, luck) >= asked);
    }),
  );
});

test('temporary errors are retryable, but a bad request and exhausted credits are not', () => {
  for (const status of [408, 429, 502, 503, 504]) assert.ok(isRetryable(refused(status, 'ANY')), `${status}`);
  assert.ok(isRetryable(new ConnectionError('CONNECTION_LOST', 'gone')));
  assert.ok(isRetryable(refused(409, 'REQUEST_IN_FLIGHT')));
  for (const status of [400, 401, 404, 409, 422, 500])
    assert.ok(!isRetryable(refused(status, 'ANY')), `${status}`);
  assert.ok(!isRetryable(refused(429, 'QUOTA_EXHAUSTED')));
  assert.ok(!isRetryable(new Error('other')));
});

test('a request that may have taken effect is not repeated, but one refused by a limit is', () => {
  assert.ok(!isRetryable(new ConnectionError('CONNECTION_LOST', 'gone'), false));
  assert.ok(!isRetryable(refused(503, 'SERVICE_UNAVAILABLE'), false));
  assert.ok(isRetryable(refused(429, 'RATE_LIMITED'), false));
});

test('Retry-After is seconds or a date', () => {
  assert.equal(retryAfterMs('7'), 7000);
  assert.equal(retryAfterMs('Wed, 21 Oct 2026 07:28:10 GMT', Date.parse('2026-10-21T07:28:00Z')), 10_000);
  for (const bad of [null, '', 'soon', '-3']) assert.equal(retryAfterMs(bad), 0, String(bad));
});

test('a read is repeated with the API key until it succeeds', async (context) => {
  const pauses: string[] = [];
  const { client, seen } = await startFakeApi(
    context,
    (_seen, before) => {
      if (before === 0) return [503, { code: 'SERVICE_UNAVAILABLE', detail: 'out' }];
      if (before === 1) return (response) => response.destroy();
      return [200, { id: 'f' }];
    },
    { onRetry: ({ code }) => pauses.push(code) },
  );
  const { data } = await client.api.GET('/files/{file_id}', file);
  assert.equal(data.id, 'f');
  assert.deepEqual(pauses, ['SERVICE_UNAVAILABLE', 'CONNECTION_LOST']);
  assert.deepEqual(
    seen.map(({ path, headers }) => [path, headers.authorization]),
    Array.from({ length: 3 }, () => ['/api/v2/files/f', 'Bearer drk_test']),
  );
});

test('retries are limited by their number and by the longest Retry-After', async (context) => {
  const few = await startFakeApi(context, () => [503, { code: 'OUT', detail: 'out' }], { retries: 1 });
  await assert.rejects(few.client.api.GET('/files/{file_id}', file), { code: 'OUT', status: 503 });
  assert.equal(few.seen.length, 2);
  const long = await startFakeApi(context, () => [
    429,
    { code: 'RATE_LIMITED', detail: 'slow' },
    { 'retry-after': '900' },
  ]);
  await assert.rejects(long.client.api.GET('/files/{file_id}', file), { retryAfterMs: 900_000 });
  assert.equal(long.seen.length, 1);
});

test('patience counts from the first failure, however long that attempt took', async (context) => {
  const { client, seen } = await startFakeApi(
    context,
    (_seen, before) =>
      before > 0 ? [200, { id: 'f' }] : (response) => setTimeout(() => response.destroy(), 200),
    { patienceMs: 100 },
  );
  await client.api.GET('/files/{file_id}', file);
  assert.equal(seen.length, 2);
});

test('an idempotency key held by an earlier request is waited for, beyond the number of retries', async (context) => {
  const held = [409, { code: 'REQUEST_IN_FLIGHT', detail: 'at work' }] as const;
  const { client, seen } = await startFakeApi(
    context,
    (_seen, before) => (before < 3 ? [...held] : [201, { id: 'new' }]),
    { retries: 1 },
  );
  await client.api.POST('/folders', { body: { name: 'a' } });
  assert.equal(seen.length, 4);
  const impatient = await startFakeApi(context, () => [...held], { patienceMs: 100 });
  await assert.rejects(impatient.client.api.POST('/folders', { body: { name: 'a' } }), {
    code: 'REQUEST_IN_FLIGHT',
  });
});

test('operations that take an Idempotency-Key are repeated with the same key, and others are not repeated', async (context) => {
  const { client, seen } = await startFakeApi(context, ({ path }, before) =>
    path.endsWith('/folders') && before > 0 ? [201, { id: 'new' }] : (response) => response.destroy(),
  );
  await client.api.POST('/folders', { body: { name: 'a' } });
  const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']));
  assert.equal(seen.length, 2);
  assert.equal(keys.size, 1);
  assert.match(String([...keys][0]), /^[\w-]{36}$/);
  await client.api.POST('/folders', { body: { name: 'b' }, headers: { 'Idempotency-Key': 'mine' } });
  assert.equal(seen.at(-1)?.headers['idempotency-key'], 'mine');
  for (const headers of [new Headers({ 'Idempotency-Key': 'own' }), [['Idempotency-Key', 'own']]]) {
    await client.api.POST('/folders', { body: { name: 'c' }, headers: headers as Headers });
    assert.equal(seen.at(-1)?.headers['idempotency-key'], 'own');
  }

  const before = seen.length;
  await assert.rejects(
    client.api.POST('/api-keys', { body: { name: 'k', scopes: ['files.read'] } as never }),
    {
      code: 'CONNECTION_LOST',
    },
  );
  assert.equal(seen.length, before + 1);
});

test('one or several links are added in one request and sent again with the same key after a failure', async (context) => {
  const { client, seen } = await startFakeApi(
    context,
    (_seen, before) =>
      before === 0
        ? [503, { code: 'SERVICE_UNAVAILABLE', detail: 'out' }]
        : [202, { file_id: 'f', session_id: 's' }],
    { onRetry: () => undefined },
  );
  assert.equal((await client.addLink('https://example.org/a', { tags: ['lamp'] })).file_id, 'f');
  const several = ['https://example.org/b', { url: 'https://example.org/c', title: 'C' }];
  assert.equal((await client.addLinks(several, { auto_describe: false })).session_id, 's');
  assert.deepEqual(
    seen.map(({ path, body }) => [path, JSON.parse(body)]),
    [
      ['/api/v2/files/links', { url: 'https://example.org/a', tags: ['lamp'] }],
      ['/api/v2/files/links', { url: 'https://example.org/a', tags: ['lamp'] }],
      [
        '/api/v2/files/links/batch',
        {
          auto_describe: false,
          links: [{ url: 'https://example.org/b' }, { url: 'https://example.org/c', title: 'C' }],
        },
      ],
    ],
  );
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  assert.ok(keys[0] !== undefined && keys[0] === keys[1] && keys[1] !== keys[2], keys.join());
});

test('an abort ends a request or a pause with its reason', async (context) => {
  const never = await startFakeApi(context, () => () => undefined);
  const reason = new Error('enough');
  const stop = new AbortController();
  const asked = never.client.api.GET('/files/{file_id}', { ...file, signal: stop.signal });
  stop.abort(reason);
  await assert.rejects(asked, reason);

  const pausing = new AbortController();
  const busy = await startFakeApi(
    context,
    () => [503, { code: 'OUT', detail: 'out' }, { 'retry-after': '60' }],
    {
      onRetry: () => pausing.abort(reason),
    },
  );
  await assert.rejects(busy.client.api.GET('/files/{file_id}', { ...file, signal: pausing.signal }), reason);
  assert.equal(busy.seen.length, 1);
});

test('a response that does not arrive in time is a connection error', async (context) => {
  const { client } = await startFakeApi(context, () => () => undefined, { timeoutMs: 30, retries: 0 });
  await assert.rejects(client.api.GET('/files/{file_id}', file), (error) => {
    assert.ok(error instanceof ConnectionError);
    return error.code === 'TIMEOUT';
  });
});

test('a download may take longer than a response, until it is aborted', async (context) => {
  const { client } = await startFakeApi(
    context,
    () => (response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      response.write('begin');
      setTimeout(() => response.write('-end'), 300);
    },
    { timeoutMs: 150 },
  );
  const stop = new AbortController();
  const { body } = await client.download('f', { signal: stop.signal });
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.endsWith('-end')) text += (await reader.read()).value;
  assert.equal(text, 'begin-end');
  const reason = new Error('enough');
  stop.abort(reason);
  await assert.rejects(reader.read(), reason);
});

test('an error without a problem document, and a page in place of JSON, are reported as such', async (context) => {
  const { client } = await startFakeApi(context, ({ path }) => (response) => {
    response.writeHead(path.endsWith('/x') ? 404 : 200, {
      'content-type': 'text/html',
      'x-request-id': 'r-1',
    });
    response.end('<h1>Hello</h1>');
  });
  const missing = client.api.GET('/files/{file_id}', { params: { path: { file_id: 'x' } } });
  await assert.rejects(missing, { code: 'HTTP_404', status: 404, requestId: 'r-1' });
  await assert.rejects(client.api.GET('/files/{file_id}', file), { code: 'NOT_AN_API' });
});

test('a response that is not JSON is left for the caller to read', async (context) => {
  const { client } = await startFakeApi(context, () => (response) => {
    response.writeHead(200, { 'content-type': 'text/csv' });
    response.end('id,title');
  });
  const { data, response } = await client.api.GET('/files/{file_id}', file);
  assert.equal(data, undefined);
  assert.equal(await response.text(), 'id,title');
});

test('a key that does not fit into a header and an invalid URL are rejected at once', () => {
  assert.throws(() => new Darkroom({ baseUrl: 'http://a.example/api/v2', apiKey: 'a\nb' }), TypeError);
  assert.throws(() => new Darkroom({ baseUrl: 'nowhere' }), TypeError);
});
