import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { createApp } from '../../../api/app.ts';
import { createApiServer } from '../../../api/create-server.ts';
import type { ApiDeps } from '../../../api/deps.ts';
import { createCredentialFailures } from '../../../api/http/credential-failures.ts';
import { trustProxies } from '../../../api/http/client-address.ts';
import { createPeerLimit } from '../../../api/http/peer-limit.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { eventually } from '../../support/api.ts';

/** An API without any server behind it. */
const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
const orm = createOrm(readConfig([databaseConfig], { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }));
const deps: Partial<ApiDeps> = {
  orm,
  log,
  eventLimit: createPeerLimit({ requestsPerMinute: 30, openRequests: 5 }),
  bodyPace: { bytesPerSecond: 1000, overSeconds: 2 },
  trustedProxies: trustProxies([]),
  credentialFailures: createCredentialFailures({ failuresPerMinute: 60 }),
  draining: () => false,
};
const server = createApiServer(createApp(deps as ApiDeps), { connectionsCheckingInterval: 100 });
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`;
after(async () => {
  server.close();
  await orm.close(true);
});

const send = (body: unknown) =>
  fetch(`${origin}/files/log-upload-event`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });

test('an event is logged in one line, even with everything else down', async () => {
  const event = { event_type: 'retry', message: 'line\nbreak", "level": 60', tenant_id: 'forged' };
  const { status } = await send(event);
  assert.equal(status, 200);
  const events = lines.map((line) => JSON.parse(line)).filter(({ client_event }) => client_event);
  assert.equal(events.length, 1);
  assert.deepEqual(events[0].client_event, { event_type: 'retry', message: 'line\nbreak", "level": 60' });
  assert.equal(events[0].level, 30);
  assert.equal(
    (await fetch(`${origin}/uploads/pending-batches`, { headers: { 'X-API-Key': 'drk_x' } })).status,
    401,
  );
});

test('a key that could pollute a prototype is dropped, and the event is accepted', async () => {
  const text =
    '{"event_type":"x","message":"poisoned","data":{"__proto__":{"a":1},"b":{"__proto__":2,"c":3}}}';
  const headers = { 'Content-Type': 'application/json' };
  const { status } = await fetch(`${origin}/files/log-upload-event`, { method: 'POST', body: text, headers });
  assert.equal(status, 200);
  const logged = lines
    .map((line) => JSON.parse(line))
    .find((line) => line.client_event?.message === 'poisoned');
  assert.deepEqual(logged.client_event.data, { b: { c: 3 } });
});

/** A request whose body never ends. */
function endless(path: string) {
  const client = request(`${origin}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': 1000 },
  });
  const closed = new Promise((resolve) => client.once('close', resolve));
  client.on('error', () => undefined);
  client.write('{');
  const answered = once(client, 'response').then(async ([response]: IncomingMessage[]) => ({
    status: response?.statusCode,
    body: JSON.parse((await response?.toArray())?.join('') ?? ''),
  }));
  return { answered, closed };
}

test('a body that never ends gets 408, and an address may have few of them at once', async () => {
  const slow = Array.from({ length: 5 }, () => endless('/files/log-upload-event'));
  await eventually(async () => {
    const { status, headers } = await send({});
    assert.equal(status, 429);
    assert.equal(headers.get('retry-after'), '5');
  });
  for (const { answered, closed } of slow) {
    const { status, body } = await answered;
    assert.deepEqual([status, body.code], [408, 'UPLOAD_TOO_SLOW']);
    await closed;
  }
  assert.equal((await send({})).status, 422);
});

test('the connection of a refused request is closed although its body never ends', async () => {
  const { answered, closed } = endless('/files/check-duplicates');
  assert.equal((await answered).status, 401);
  await closed;
});

test('headers that take too long get an error in the common shape', async (t) => {
  const { headersTimeout } = server;
  t.after(() => void (server.headersTimeout = headersTimeout));
  server.headersTimeout = 500;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
  const [head = '', body = ''] = (await socket.toArray()).join('').split('\r\n\r\n');
  assert.match(head, /^HTTP\/1\.1 408 /);
  assert.equal(JSON.parse(body).code, 'REQUEST_TIMEOUT');
});

test('events over the rate limit are rejected before their bodies are read', async () => {
  const statuses: number[] = [];
  for (let sent = 0; sent < 30; sent += 1) statuses.push((await send({})).status);
  const allowed = statuses.indexOf(429);
  assert.ok(allowed > 0, String(statuses));
  assert.deepEqual([...new Set(statuses.slice(0, allowed))], [422]);
  assert.deepEqual([...new Set(statuses.slice(allowed))], [429]);
});
