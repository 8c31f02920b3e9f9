import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { demoImage } from '../support/images.ts';

const client = createClient(sharedRun());

test('health, readiness and metrics answer without a key', async () => {
  const { status, body } = await client.get(`${client.origin}/healthz`);
  const { version }: Json = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.deepEqual([status, body], [200, { status: 'ok', version }]);
  const ready = await client.get(`${client.origin}/readyz`);
  assert.equal(ready.status, 200);
  assert.deepEqual(ready.body.checks, {
    database: true,
    object_store: true,
    free_space: true,
    workflow_engine: true,
    vector_index: true,
  });
  // Stacks of tests have no models.
  assert.ok(ready.body.missing_models.includes('text-recognition'));
  assert.match(ready.body.remedy, /npm run models/);
  const metrics = await client.get(`${client.origin}/metrics`);
  assert.match(metrics.body, /darkroom_http_request_seconds_bucket/);
});

test('metrics of the whole installation have the queues, their workers, open and stuck files, webhooks and credits', async () => {
  await client.ingest({ bytes: demoImage('coffee.jpg') });
  await eventually(async () => {
    const { body } = await client.get(`${client.origin}/metrics`);
    for (const queue of ['workflows', 'io', 'cpu', 'documents', 'video', 'ocr', 'index', 'web', 'webhooks'])
      assert.match(body, new RegExp(`darkroom_queue_workers\\{queue="${queue}"\\} [1-9]`));
    assert.match(body, /darkroom_queue_backlog\{queue="io"\} \d/);
    assert.match(body, /darkroom_queue_slots_free\{queue="io"\} \d/);
    assert.match(body, /darkroom_files_open\{status="processing"\} \d/);
    assert.match(body, /darkroom_files_stuck\{cause="no_worker"\} \d/);
    assert.match(body, /darkroom_webhook_deliveries_waiting\{state="pending"\} \d/);
    assert.match(body, /darkroom_webhook_deliveries_waiting\{state="retrying"\} \d/);
    assert.match(body, /darkroom_webhook_subscriptions\{state="disabled"\} \d/);
    assert.match(body, /darkroom_database_connections\{state="idle"\} \d/);
    assert.match(body, /darkroom_credits_total\{change="reserved",operation="describe"\} [1-9]/);
  }, 60);
});

test('the root path redirects to the page of the API', async () => {
  const { status, headers } = await client.request('GET', `${client.origin}/`);
  assert.deepEqual([status, headers.get('location')], [302, 'api/v2/docs']);
  const { url } = await fetch(`${client.origin}/`);
  assert.equal(url, `${client.origin}/api/v2/docs`);
});

test('metrics are not served through a proxy, whichever forwarding header it sets', async () => {
  for (const headers of [
    { 'X-Forwarded-For': '203.0.113.7' },
    { 'X-Forwarded-For': '' },
    { 'X-Forwarded-Host': 'example.org' },
    { 'X-Real-IP': '203.0.113.7' },
    { Forwarded: 'for=203.0.113.7' },
    { Via: '1.1 proxy' },
  ]) {
    const { status } = await client.request('GET', `${client.origin}/metrics`, { headers });
    assert.equal(status, 404, JSON.stringify(headers));
  }
});

test('metrics are not served to a page whose name was made to resolve to this machine', async () => {
  const { hostname, port } = new URL(client.origin);
  const statusAt = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ hostname, port, path: '/metrics', headers: { Host: host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
  for (const host of [
    'rebound.example.com',
    `rebound.example.com:${port}`,
    '127.0.0.1.nip.io',
    'a.b',
    'evil.example.',
  ])
    assert.equal(await statusAt(host), 404, host);
  for (const host of [
    `127.0.0.1:${port}`,
    `[::1]:${port}`,
    'localhost',
    `api:${port}`,
    'api.darkroom.svc',
    'api.x.svc.cluster.local',
  ])
    assert.equal(await statusAt(host), 200, host);
});

/** Sends raw bytes on a new connection; returns the whole response. */
async function exchange(bytes: string): Promise<{ status: number; text: string; body: Json }> {
  const { hostname, port } = new URL(client.origin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(bytes);
  const text = (await socket.toArray()).join('');
  return { status: Number(text.split(' ')[1]), text, body: JSON.parse(text.split('\r\n\r\n')[1] ?? '') };
}

const UNPARSED: [string, string, number, string][] = [
  ['garbage', 'garbage\r\n\r\n', 400, 'BAD_REQUEST'],
  ['a header without a colon', 'GET /healthz HTTP/1.1\r\nHost: a\r\nbad\r\n\r\n', 400, 'BAD_REQUEST'],
  [
    'headers of 20 KB',
    `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'HEADERS_TOO_LARGE',
  ],
  [
    'an unknown expectation',
    'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n',
    417,
    'EXPECTATION_FAILED',
  ],
];

for (const [what, bytes, status, code] of UNPARSED) {
  test(`${what} is answered with ${status} ${code} in the common shape`, async () => {
    const answer = await exchange(bytes);
    assert.deepEqual([answer.status, answer.body.code], [status, code]);
    assert.match(answer.text, new RegExp(`^x-request-id: ${answer.body.request_id}`, 'im'));
  });
}

test('the OpenAPI document has every operation with its security and its errors', async () => {
  const { body } = await client.get('/openapi.json');
  assert.equal(body.openapi, '3.1.0');
  const operations = Object.values(body.paths).flatMap((path) => Object.values(path as object));
  assert.ok(operations.length > 100, `${operations.length} operations`);
  assert.ok(operations.every(({ responses }) => responses['422'] ?? responses['401']));
  assert.ok(operations.every(({ responses }) => responses['500']));
  assert.deepEqual(Object.keys(body.components.securitySchemes), ['bearer', 'apiKey', 'session']);
  assert.equal(body.components.securitySchemes.session.name, 'session', 'the name on plain http');
});

test('the document is also served without the legacy operations', async () => {
  const { body } = await client.get('/openapi.json?deprecated=false');
  const operations = Object.values(body.paths).flatMap((path) => Object.values(path as object));
  assert.ok(operations.length > 100, `${operations.length} operations`);
  assert.ok(operations.every(({ deprecated }) => !deprecated));
  assert.ok(body.tags.every(({ name }: { name: string }) => name !== 'Legacy'));
});

test('the document for programs has the operations for API keys, and no login', async () => {
  const { body } = await client.get('/openapi.json?for=programs');
  const operations = Object.values(body.paths).flatMap((path) => Object.values(path as object));
  const ids = operations.map(({ operationId }) => operationId);
  assert.ok(ids.includes('uploadFile') && ids.includes('addLink'), ids.join());
  assert.deepEqual(
    operations.filter(({ deprecated, security: [only] = [] }) => deprecated || (only && 'session' in only)),
    [],
  );
  assert.ok(!ids.includes('logIn') && !ids.includes('createApiKey'), ids.join());
});

test('the pages that the document links to are served, and their links to each other work', async () => {
  const { body } = await client.get('/openapi.json');
  const linked = [...body.info.description.matchAll(/\]\((docs\/[^)#]+)/g)].map(([, path]) => path as string);
  assert.ok(linked.length >= 5, linked.join());
  const base = `${client.origin}/api/v2/docs`;
  for (const path of linked) {
    const page = await fetch(new URL(path, base));
    assert.deepEqual(
      [page.status, page.headers.get('content-type')],
      [200, 'text/html; charset=utf-8'],
      path,
    );
    for (const [, target = ''] of (await page.text()).matchAll(/href="([^"#]+)/g)) {
      const url = new URL(target, page.url);
      if (url.origin !== new URL(base).origin || !url.pathname.startsWith('/api/v2/docs/')) continue;
      assert.equal((await fetch(url)).status, 200, `${path}: ${target}`);
    }
  }
  for (const path of ['runbook.md', 'guide/none.md', 'guide/..%2f..%2fpackage.md']) {
    assert.equal((await fetch(`${base}/${path}`)).status, 404, path);
  }
});

test('the documentation page loads nothing from other origins', async () => {
  for (const path of ['docs', 'docs/']) {
    const page = await fetch(`${client.origin}/api/v2/${path}`);
    assert.equal(page.status, 200);
    const assets = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)];
    assert.equal(assets.length, 3);
    for (const [, asset = ''] of assets) {
      assert.doesNotMatch(asset, /^https?:/);
      assert.equal((await fetch(new URL(asset, page.url))).status, 200, asset);
    }
    assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /upgrade-insecure-requests/);
  }
});

test('responses with data of a tenant are not cacheable, whatever their status', async () => {
  for (const path of ['/files', `/files/${randomUUID()}`, '/files?limit=0']) {
    const { headers } = await client.get(path);
    assert.equal(headers.get('cache-control'), 'private, no-store', path);
  }
});

test('names of built-in object properties are not documentation assets', async () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    assert.equal((await client.get(`${client.origin}/docs/${name}`)).status, 404, name);
  }
});

test('the request id of the client is echoed, a malformed one is replaced', async () => {
  const given = await client.request('GET', '/files', { headers: { 'X-Request-Id': 'abc-1' } });
  assert.equal(given.headers.get('x-request-id'), 'abc-1');
  const bad = await client.request('GET', '/files', { headers: { 'X-Request-Id': 'a b' } });
  assert.notEqual(bad.headers.get('x-request-id'), 'a b');
});
