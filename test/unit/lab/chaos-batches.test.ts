import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createBatches } from '../../../lab/chaos/deliver-batch.ts';
import { createHttp } from '../../../lab/shared/http.ts';

type Batches = ReturnType<typeof createBatches<{ name: string; content: number }>>;
const pieces = ['a.png', 'b.png', 'c.png'].map((name, content) => ({ name, content }));

/** Status codes by the code of a problem document. */
const STATUS_OF: Record<string, number> = {
  UPLOAD_SESSION_ENDED: 400,
  NOT_FOUND: 404,
  WORK_IN_PROGRESS: 409,
};

/** Sends three files to a server with these responses, in order, and collects the ids. */
async function collected(
  answers: Record<string, unknown[]>,
  send = (batches: Batches): Promise<unknown> => batches.send(pieces, true),
) {
  const seen: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const line = `${request.method} ${new URL(request.url ?? '', 'http://any').pathname}`;
    seen.push(line);
    const next = answers[line]?.shift();
    request.resume().once('end', () => {
      if (next === 'hang up') {
        request.socket.destroy();
        return;
      }
      const status = STATUS_OF[(next as { code?: string } | undefined)?.code ?? ''];
      const usual = line === 'POST /files/upload/batch' ? 201 : line.endsWith('/retry') ? 202 : 200;
      response.writeHead(status ?? usual, {
        'content-type': 'application/json',
        'x-request-id': 'req-1',
      });
      response.end(JSON.stringify(next));
    });
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { signal } = new AbortController();
    const refused: string[] = [];
    const http = createHttp({ apiUrl, apiKey: 'key', signal });
    const contentOf = () => Promise.resolve({ bytes: Buffer.from('x'), sha256: 'x' });
    const batches = createBatches({
      http,
      contentOf,
      onRefused: ({ message }) => refused.push(message),
      signal,
    });
    const taken = await send(batches);
    return { taken, ids: Object.fromEntries(await batches.collect()), seen, refused };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const idle = { queued: 0, processing: 0, confirming: 0 };
const results = (...names: string[]) => ({
  results: names.map((filename) => ({ filename, file_id: `id of ${filename}` })),
  has_more: false,
});
const all = { 'a.png': 'id of a.png', 'b.png': 'id of b.png', 'c.png': 'id of c.png' };

test('the file ids of an acknowledged batch are read from its results once it has ended', async () => {
  const { taken, ids, seen } = await collected({
    'POST /files/upload/batch': [{ session_id: 's', rejections: [] }],
    'GET /files/sessions/s/summary': [{ counts: idle, overall_status: 'completed' }],
    'GET /files/sessions/s/results': [results('a.png', 'b.png', 'c.png')],
  });
  assert.equal(taken, 3);
  assert.deepEqual(ids, all);
  assert.equal(seen.filter((line) => line.startsWith('POST')).length, 1);
});

test('a batch whose response was lost is looked up, and only missing files are sent again', async () => {
  const { taken, ids, seen } = await collected({
    'POST /files/upload/batch': ['hang up', { session_id: 't', rejections: [] }],
    'GET /files/sessions': [{ items: [{ session_id: 's' }] }],
    'GET /files/sessions/s/summary': [{ counts: idle, overall_status: 'uploading' }],
    'GET /files/sessions/s/results': [results('a.png')],
    'POST /files/sessions/s/cancel': [{}],
    'GET /files/sessions/t/summary': [{ counts: idle, overall_status: 'completed' }],
    'GET /files/sessions/t/results': [results('b.png', 'c.png')],
  });
  assert.equal(taken, 0);
  assert.deepEqual(ids, all);
  assert.ok(seen.includes('POST /files/sessions/s/cancel'));
});

test('a file that arrived during the cancellation of its session is processed nevertheless', async () => {
  const skipped = (name: string) => ({ ...results(name).results[0], status: 'skipped' });
  const timeline = (primary: string, status: string) => ({
    primary_status: primary,
    components: { variant: { status } },
  });
  const { ids, refused, seen } = await collected({
    'POST /files/upload/batch': ['hang up', { session_id: 't', rejections: [] }],
    'GET /files/sessions': [{ items: [{ session_id: 's' }] }],
    'GET /files/sessions/s/summary': [{ counts: idle, overall_status: 'uploading' }],
    'GET /files/sessions/s/results': [results()],
    'POST /files/sessions/s/cancel': [{}],
    'GET /files/sessions/t/summary': [{ counts: idle, overall_status: 'completed' }],
    'GET /files/sessions/t/results': [{ results: ['a.png', 'b.png', 'c.png'].map(skipped), has_more: false }],
    'GET /files/id%20of%20a.png/timeline': [timeline('processing', 'queued'), timeline('failed', 'skipped')],
    'POST /files/id%20of%20a.png/retry': ['hang up', { code: 'WORK_IN_PROGRESS', detail: 'in progress' }],
    'GET /files/id%20of%20b.png/timeline': [timeline('failed', 'failed')],
    'GET /files/id%20of%20c.png/timeline': [timeline('completed', 'completed')],
  });
  assert.deepEqual(ids, all);
  assert.deepEqual(refused, []);
  assert.deepEqual(
    seen.filter((line) => line.endsWith('/retry')),
    Array.from({ length: 2 }, () => 'POST /files/id%20of%20a.png/retry'),
  );
});

test('an acknowledged file that is missing from the results is lost and not sent again', async () => {
  const { taken, ids } = await collected({
    'POST /files/upload/batch': [{ session_id: 's', rejections: [] }],
    'GET /files/sessions/s/summary': [{ counts: idle, overall_status: 'completed' }],
    'GET /files/sessions/s/results': [results('a.png', 'c.png')],
  });
  assert.equal(taken, 3);
  assert.deepEqual(Object.keys(ids), ['a.png', 'c.png']);
});

test('a file with a retryable rejection is sent again', async () => {
  const { taken, ids } = await collected({
    'POST /files/upload/batch': [
      { session_id: 's', rejections: [{ filename: 'b.png', reason: 'store away', retryable: true }] },
      { session_id: 't', rejections: [] },
    ],
    'GET /files/sessions/s/summary': [{ counts: idle, overall_status: 'completed' }],
    'GET /files/sessions/s/results': [results('a.png', 'c.png')],
    'GET /files/sessions/t/summary': [{ counts: idle, overall_status: 'completed' }],
    'GET /files/sessions/t/results': [results('b.png')],
  });
  assert.equal(taken, 2);
  assert.deepEqual(ids, all);
});

const lostButStored = () => ({
  'POST /files/upload/batch': ['hang up'],
  'GET /files/sessions': [{ items: [{ session_id: 's' }] }],
  'GET /files/sessions/s/results': [results('a.png', 'b.png', 'c.png'), results('a.png', 'b.png', 'c.png')],
});
const inSession = { counts: idle, overall_status: 'processing' };
const ended = { code: 'UPLOAD_SESSION_ENDED', detail: 'the session is already cancelled' };

test('a cancellation is sent again when its response was lost, and finds the session ended', async () => {
  const { ids, refused } = await collected({
    ...lostButStored(),
    'GET /files/sessions/s/summary': [inSession, { counts: idle, overall_status: 'cancelled' }],
    'POST /files/sessions/s/cancel': ['hang up', ended],
  });
  assert.deepEqual(refused, []);
  assert.deepEqual(ids, all);
});

test('the results of a session that ends between its summary and its cancellation are read again', async () => {
  const { ids, refused, seen } = await collected({
    ...lostButStored(),
    'GET /files/sessions/s/summary': [inSession, { counts: idle, overall_status: 'completed' }],
    'POST /files/sessions/s/cancel': [ended],
  });
  assert.deepEqual(refused, []);
  assert.deepEqual(ids, all);
  assert.equal(seen.filter((line) => line === 'GET /files/sessions/s/results').length, 2);
});

test('a refused request is reported with its response and ends the collection', async () => {
  const { ids, refused } = await collected({
    'POST /files/upload/batch': [{ session_id: 's', rejections: [] }],
    'GET /files/sessions/s/summary': [{ code: 'NOT_FOUND', detail: 'no such session' }],
  });
  assert.deepEqual(ids, {});
  assert.deepEqual(refused, [
    'the summary of a session: GET /files/sessions/s/summary returned 404 NOT_FOUND: no such session (request req-1)',
  ]);
});

test('a permanently rejected file is reported and not sent again', async () => {
  const rejection = {
    filename: 'b.png',
    reason: 'files of type text/plain are not accepted',
    retryable: false,
  };
  const { taken, ids, refused } = await collected({
    'POST /files/upload/batch': [{ session_id: 's', rejections: [rejection] }],
    'GET /files/sessions/s/summary': [{ counts: idle, overall_status: 'completed' }],
    'GET /files/sessions/s/results': [results('a.png', 'c.png')],
  });
  assert.equal(taken, 2);
  assert.deepEqual(Object.keys(ids), ['a.png', 'c.png']);
  assert.deepEqual(refused, ['b.png was rejected: files of type text/plain are not accepted']);
});

test('a session that a lost request of the client left open is cancelled, and files that this stopped are retried', async () => {
  const existing = (name: string) => ({ file_id: `id of ${name}`, skipped: name === 'a.png' });
  const { taken, ids, seen, refused } = await collected(
    {
      'POST /files/upload/batch': [
        'hang up',
        {
          session_id: 't',
          rejections: [{ index: 2, code: 'UNSUPPORTED_MEDIA', reason: 'not accepted', retryable: false }],
          immediate_results: ['a.png', 'b.png', 'c.png'].map(existing),
        },
      ],
      'GET /files/sessions': [{ items: [] }, { items: [{ session_id: 's' }] }],
      'GET /files/sessions/s/summary': [
        { counts: { ...idle, processing: 1 }, overall_status: 'uploading' },
        { counts: idle, overall_status: 'uploading' },
      ],
      'GET /files/sessions/s/results': [results('a.png')],
      'POST /files/sessions/s/cancel': [{}],
      'GET /files/id%20of%20a.png/timeline': [
        { primary_status: 'failed', components: { variant: { status: 'skipped' } } },
      ],
      'POST /files/id%20of%20a.png/retry': [{}],
    },
    (batches) => batches.sendByClient(pieces),
  );
  assert.deepEqual(
    taken,
    new Map([
      ['a.png', 'id of a.png'],
      ['b.png', 'id of b.png'],
    ]),
  );
  assert.deepEqual(ids, {});
  assert.deepEqual(refused, ['c.png: not accepted']);
  assert.equal(seen.at(-1), 'POST /files/id%20of%20a.png/retry');
});

test('work in progress is listed with its last step, also that of the work within it', async () => {
  const gone = new AbortController();
  const http = createHttp({ apiUrl: 'http://127.0.0.1:9', apiKey: 'key', signal: gone.signal });
  const work = http.track('the upload', () => http.sendWithRetries('GET', '/files'));
  while (!http.waiting().join().includes('failed')) await new Promise((resolve) => setTimeout(resolve, 10));
  const [outer, inner, ...more] = http.waiting();
  assert.match(outer ?? '', /^the upload for 0 s, last step: the connection to 127\.0\.0\.1:9 failed/);
  assert.match(inner ?? '', /^GET \/files for 0 s, last step: the connection to /);
  assert.deepEqual(more, []);
  gone.abort();
  await assert.rejects(work);
  assert.deepEqual(http.waiting(), []);
});
