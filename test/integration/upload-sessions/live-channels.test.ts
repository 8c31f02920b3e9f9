import { ownerOf } from '../../support/principals.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { WebSocket } from 'ws';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { createTenantSlots } from '../../../api/http/tenant-slots.ts';
import { LiveConnection } from '../../../api/live/live-connection.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import type { ItemState } from '../../../domain/upload-sessions/upload-session.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { generateApiKey } from '../../../services/accounts/api-key.ts';
import { openUploadSession } from '../../../services/upload-sessions/open-upload-session.ts';
import { createChannelChanges } from '../../../services/shared/channel-changes.ts';
import { recordItem } from '../../../services/upload-sessions/record-item.ts';
import type { Engine } from '../../../temporal/client.ts';
import { createClient, eventually, sharedRun, type Json } from '../../support/api.ts';
import { readEvents } from '../../support/event-stream.ts';
import { connectLive } from '../../support/live-client.ts';
import { logIn } from '../../support/login.ts';
import { images } from '../../support/images.ts';
import { startReplica, type Replica } from '../../support/replica.ts';

/** The live channels over WebSocket, on replicas of the API other than the one that receives the uploads. */
const run = sharedRun();
const client = createClient(run);
const headers = { Authorization: `Bearer ${run.api_key}` };
const orm = createOrm(readConfig([databaseConfig], process.env));
let replica: Replica;
let impatient: Replica;

before(async () => {
  [replica, impatient] = await Promise.all([startReplica(), startReplica({ LIVE_PING_SECONDS: '1' })]);
});
after(async () => {
  await Promise.all([replica?.stop(), impatient?.stop()]);
  await orm.close(true);
});

async function batch(
  count: number,
  fields: Record<string, string> = {},
): Promise<{ id: string; channel: string }> {
  const { body } = await client.batch(await images(count), fields);
  return { id: body.session_id, channel: body.websocket_channel };
}
const ownTenant = async () =>
  (await orm.em.fork().findOneOrFail(UploadSession, { id: (await batch(1)).id })).tenantId;
const isLast = ({ type }: Json) => type === 'batch.terminal';

test('both replicas stream a session from its snapshot to its end, consistent with polling and SSE', async () => {
  // Enough to last until the sockets are open.
  const { id, channel } = await batch(30);
  const received = await Promise.all(
    [run.api_url, replica.url].map(async (url) => {
      const live = await connectLive(url, headers);
      live.say({ action: 'subscribe', channel });
      await live.next(isLast, 90);
      live.socket.close();
      await live.closed;
      return live.frames;
    }),
  );
  const polled = (await client.get(`/files/sessions/${id}/status`)).body;
  for (const frames of received) {
    assert.equal(frames[0].type, 'snapshot');
    assert.equal(frames.filter(isLast).length, 1);
    assert.deepEqual(frames.at(-1).data, polled);
    const seqs = frames.map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
    );
    assert.ok(
      frames.every((frame) => frame.channel === channel && !Number.isNaN(Date.parse(frame.timestamp))),
    );
    assert.deepEqual(Object.keys(frames[0]), ['channel', 'seq', 'type', 'timestamp', 'data']);
    const files = frames.filter(({ type }) => type === 'file.status');
    assert.ok(files.length > 0, 'work continued after the snapshot');
  }
  const events: Json[] = [];
  for await (const { data } of readEvents(`${replica.url}/files/sessions/${id}/events`, headers))
    events.push(data);
  assert.deepEqual(events.at(-1).data, received[0]?.at(-1).data);
  assert.equal(events.at(-1).seq, received[0]?.at(-1).seq);
});

/** A session that only the test changes. */
async function quietSession(files: number): Promise<{ id: string; channel: string; tenantId: string }> {
  const tenantId = await ownTenant();
  const principal = ownerOf(tenantId);
  const id = randomUUID();
  await openUploadSession(orm.em.fork(), principal, { sessionId: id, uploadMethod: 'streaming' });
  for (let index = 0; index < files; index++) await note(id, index, 'uploading');
  return { id, channel: `batch.${id}`, tenantId };
}
const note = (sessionId: string, index: number, state: ItemState) =>
  recordItem(orm.em.fork(), { sessionId, index }, `${index}.jpg`, { state });

test('a client that missed a change starts with a snapshot, and any other resumes at its position', async () => {
  const { id, channel } = await quietSession(2);
  const live = await connectLive(replica.url, headers);
  live.say({ action: 'subscribe', channel });
  const { seq, data } = await live.next(() => true);
  assert.deepEqual([data.total_files, data.pending_files], [2, 2]);
  live.say({ action: 'subscribe', channel, after_seq: seq - 1 });
  const again = await live.next(() => true);
  assert.deepEqual([again.type, again.seq], ['snapshot', seq]);
  live.socket.close();

  const back = await connectLive(run.api_url, headers);
  back.say({ action: 'subscribe', channel, after_seq: seq });
  back.say({ action: 'subscribe', channel: `batch.${randomUUID()}` });
  await back.next(({ type }) => type === 'not_found');
  await note(id, 0, 'rejected');
  const status = await back.next(() => true);
  // If its first read comes after the change, it has missed that and gets a snapshot.
  if (status.type !== 'snapshot')
    assert.deepEqual([status.type, status.data.status], ['file.status', 'rejected']);
  assert.equal((await client.post(`/files/sessions/${id}/cancel`, {})).status, 200);
  await back.next(isLast);
  back.socket.close();
  const late = await connectLive(replica.url, headers);
  late.say({ action: 'subscribe', channel, after_seq: back.frames.at(-1).seq });
  assert.equal((await late.next(() => true)).type, 'batch.terminal');
  late.socket.close();
});

/** A client whose network accepts frames only on demand. */
class SlowSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly sent: Json[] = [];
  taking = false;
  #taken: (() => void)[] = [];

  send(text: string, taken: () => void): void {
    this.sent.push(JSON.parse(text));
    if (this.taking) taken();
    else this.#taken.push(taken);
  }
  take(): void {
    this.taking = true;
    for (const taken of this.#taken.splice(0)) taken();
  }
}

test('a slow client has one buffered frame, and then gets the current state instead of each step', async (context) => {
  const { id, channel, tenantId } = await quietSession(10);
  const channelChanges = createChannelChanges(orm, () => undefined);
  const livePolls = createTenantSlots({ what: 'polls', atOnce: 2, waiting: 2, waitMs: 10_000 });
  // The channel of a session uses neither engine nor objects.
  const unused = { engine: {} as Engine, objects: {} as ObjectStore };
  const deps = { orm, ...unused, channelChanges, livePolls, draining: () => false, tenantId, pingMs: 60_000 };
  const log = pino({ level: 'silent' });
  const [slow, fast] = [new SlowSocket(), new SlowSocket()];
  context.after(() => {
    for (const socket of [slow, fast]) socket.emit('close');
    channelChanges.close();
  });
  fast.taking = true;
  for (const socket of [slow, fast]) {
    const checkAccess = async () => undefined;
    new LiveConnection(socket as unknown as WebSocket, { ...deps, log, checkAccess }).serve();
    socket.emit('message', Buffer.from(JSON.stringify({ action: 'subscribe', channel })), false);
    await eventually(async () => assert.equal(socket.sent.length, 1));
  }
  const rejected = (socket: SlowSocket) =>
    socket.sent.filter(({ type, data }) => type === 'file.status' && data.status === 'rejected').length;
  const steps = (socket: SlowSocket) => new Set(socket.sent.map(({ seq }) => seq)).size;
  for (const half of [0, 5]) {
    for (let index = half; index < half + 5; index++) await note(id, index, 'rejected');
    await eventually(async () => assert.equal(rejected(fast), half + 5));
  }
  assert.deepEqual(
    slow.sent.map(({ type }) => type),
    ['snapshot'],
  );
  slow.take();
  await eventually(async () => assert.equal(rejected(slow), 10));
  assert.equal(steps(slow), 2, 'the snapshot, and then all changes at once');
  assert.ok(steps(fast) >= 3);
  await client.post(`/files/sessions/${id}/cancel`, {});
});

test('channels can be subscribed and unsubscribed on one connection, and an unsubscribed one is silent', async () => {
  const [one, two] = [await batch(30), await batch(2, { auto_describe: 'false' })];
  const live = await connectLive(replica.url, headers);
  for (const { channel } of [one, two]) live.say({ action: 'subscribe', channel });
  await live.next(({ type, channel }) => type === 'snapshot' && channel === one.channel);
  live.say({ action: 'unsubscribe', channel: one.channel });
  await live.next(({ type, channel }) => type === 'unsubscribed' && channel === one.channel);
  const left = live.frames.length;
  await client.post(`/files/sessions/${one.id}/cancel`, {});
  await eventually(async () =>
    assert.ok(live.frames.some((frame) => isLast(frame) && frame.channel === two.channel)),
  );
  await client.sessionEnded(one.id);
  assert.ok(live.frames.slice(left).every(({ channel }) => channel === two.channel));
  live.socket.close();
});

test('foreign and unknown channels get the same not_found', async () => {
  const { channel } = await batch(1);
  const live = await connectLive(replica.url, { 'X-API-Key': run.tenants.starter.api_key });
  const answers: Json[] = [];
  for (const name of [
    channel,
    `batch.${randomUUID()}`,
    'batch.',
    'batch.x',
    'user.1',
    "batch.' or true --",
  ]) {
    live.say({ action: 'subscribe', channel: name });
    answers.push(await live.next((frame) => frame.channel === name));
  }
  for (const { type, seq, data } of answers) {
    assert.deepEqual([type, seq, data], ['not_found', 0, { detail: 'there is no such channel' }]);
  }
  live.socket.close();
});

const BAD: [string, string | object, string, string?][] = [
  ['no JSON', '{"action":', 'BAD_REQUEST'],
  ['NaN', '{"action":"subscribe","channel":"a","after_seq":NaN}', 'BAD_REQUEST'],
  ['no object', '[]', 'VALIDATION_FAILED', '/message'],
  ['an unknown action', { action: 'shout', channel: 'batch.x' }, 'VALIDATION_FAILED', '/message/action'],
  ['no channel', { action: 'subscribe' }, 'VALIDATION_FAILED', '/message/channel'],
  [
    'a seq below zero',
    { action: 'subscribe', channel: 'a', after_seq: -1 },
    'VALIDATION_FAILED',
    '/message/after_seq',
  ],
  ['an unknown field', { action: 'unsubscribe', channel: 'a', x: 1 }, 'VALIDATION_FAILED', '/message/x'],
  [
    'an unknown field of a subscription',
    { action: 'subscribe', channel: 'batch.x', after: 1 },
    'VALIDATION_FAILED',
    '/message/after',
  ],
];
test('an invalid command is reported, and the connection stays open', async () => {
  const live = await connectLive(replica.url, headers);
  for (const [what, message, code, pointer] of BAD) {
    live.say(message);
    const { type, channel, data } = await live.next(() => true);
    const asked = typeof message === 'string' ? null : ((message as Json).channel ?? null);
    assert.deepEqual([type, channel, data.code], ['error', asked, code], what);
    if (pointer) assert.equal(data.errors[0].pointer, pointer, what);
  }
  live.socket.send(Buffer.from('{"action":"unsubscribe","channel":"a"}'));
  assert.equal((await live.next(() => true)).data.code, 'BAD_REQUEST');
  live.say({ action: 'unsubscribe', channel: 'a' });
  assert.equal((await live.next(() => true)).type, 'unsubscribed');
  live.socket.close();
});

test('a connection has at most twenty channels, and a message at most 4 KB', async () => {
  const principal = ownerOf(await ownTenant());
  const ids = Array.from({ length: 21 }, () => randomUUID());
  for (const sessionId of ids) {
    await openUploadSession(orm.em.fork(), principal, { sessionId, uploadMethod: 'streaming' });
  }
  const live = await connectLive(replica.url, headers);
  const channels = ids.map((id) => `batch.${id}`);
  for (const channel of channels) live.say({ action: 'subscribe', channel });
  const refused = await live.next(({ type }) => type === 'error');
  assert.deepEqual([refused.channel, refused.data.code], [channels[20], 'TOO_MANY_CHANNELS']);
  live.say({ action: 'unsubscribe', channel: channels[0] });
  live.say({ action: 'subscribe', channel: channels[20] });
  await live.next(({ type, channel }) => type === 'snapshot' && channel === channels[20]);
  live.say({ action: 'subscribe', channel: 'x'.repeat(5000) });
  assert.equal((await live.closed).code, 1009);
  for (const id of ids) assert.equal((await client.post(`/files/sessions/${id}/cancel`, {})).status, 200);
});

test('a client that sends too many commands is disconnected', async () => {
  const live = await connectLive(replica.url, headers);
  for (let i = 0; i < 5000; i++) live.say({ action: 'subscribe', channel: `batch.${randomUUID()}` });
  assert.equal((await live.closed).code, 1008);
});

/** The response to a rejected handshake, or to any other upgrade request. */
async function refusal(
  url: string,
  given: Record<string, string>,
  path = '/ws',
): Promise<{ status: number; body: Json }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = {
    Host: hostname,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...given,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /api/v2${path} HTTP/1.1\r\n${head.join('')}\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return { status: Number(text.split(' ')[1]), body: JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) };
}

test('a handshake without a valid key is rejected with the same error as on any other route', async () => {
  for (const [given, status, code] of [
    [{}, 401, 'UNAUTHENTICATED'],
    [{ Authorization: 'Bearer drk_wrong' }, 401, 'UNAUTHENTICATED'],
    [{ 'X-API-Key': run.tenants.free.api_key }, 403, 'INSUFFICIENT_TIER'],
    [{ ...headers, 'X-API-Key': run.tenants.starter.api_key }, 401, 'UNAUTHENTICATED'],
    [{ ...headers, 'Sec-WebSocket-Version': '8' }, 426, 'UPGRADE_REQUIRED'],
    [{ ...headers, 'Sec-WebSocket-Key': 'short' }, 400, 'BAD_REQUEST'],
    [{ ...headers, 'Sec-WebSocket-Protocol': 'a, a' }, 400, 'BAD_REQUEST'],
    [{ ...headers, 'Sec-WebSocket-Protocol': 'a, b,' }, 400, 'BAD_REQUEST'],
  ] as const) {
    const { status: answered, body } = await refusal(replica.url, given);
    assert.deepEqual([answered, body.code], [status, code]);
    assert.ok(body.request_id);
  }
  assert.equal((await client.get('/ws')).status, 426);
  const offer = { ...headers, Connection: 'Upgrade, close', Upgrade: 'h2c' };
  const h2c = await refusal(replica.url, offer, '/files?limit=1');
  assert.equal(h2c.status, 200);
});

test('a revoked key closes its connections, and a client that does not answer pings is dropped', async () => {
  const tenantId = await ownTenant();
  const { id, key, hash } = generateApiKey();
  await orm.em.fork().insert(ApiKey, {
    id,
    tenantId,
    name: 'live',
    keyHash: hash,
    role: 'viewer',
    createdAt: new Date(),
  });
  const live = await connectLive(impatient.url, { 'X-API-Key': key });
  const events = readEvents(`${impatient.url}/files/sessions/${(await quietSession(1)).id}/events`, {
    'X-API-Key': key,
  });
  assert.equal((await events.next()).done, false);
  const bystander = await connectLive(impatient.url, headers);
  const deaf = await connectLive(impatient.url, headers);
  deaf.socket.pause();
  let pings = 0;
  bystander.socket.on('ping', () => (pings += 1));
  await eventually(async () => assert.ok(pings >= 3));
  assert.equal(live.socket.readyState, live.socket.OPEN);
  deaf.socket.resume();
  assert.equal((await deaf.closed).code, 1006);

  await orm.em.fork().nativeUpdate(ApiKey, { id }, { revokedAt: new Date() });
  assert.deepEqual(await live.closed, { code: 1008, reason: 'the API key is not valid' });
  assert.equal((await events.next()).done, true, 'the event stream ends as well');
  assert.equal(bystander.socket.readyState, bystander.socket.OPEN);
  bystander.socket.close();
});

test('delivery stops when the member is removed or loses the role, or the session switches to another tenant', async () => {
  const { id, channel, tenantId } = await quietSession(10);
  const em = orm.em.fork();
  const member = { tenantId, role: 'viewer' } as const;
  const [removed, switched] = [await logIn(orm, run, member), await logIn(orm, run, member)];
  const other = await logIn(orm, run);
  await em.insert(Membership, {
    tenantId: other.tenantId,
    userId: switched.userId,
    role: 'viewer',
    joinedAt: new Date(),
  });
  // On the replica that pings every 30 s only: no delivery may wait for a ping.
  const open = async ({ cookie }: { cookie: string }) => {
    const live = await connectLive(replica.url, { Cookie: cookie });
    live.say({ action: 'subscribe', channel });
    await live.next(({ type }) => type === 'snapshot');
    const events = readEvents(`${replica.url}/files/sessions/${id}/events`, { Cookie: cookie });
    assert.equal((await events.next()).value?.event, 'snapshot');
    return { live, events };
  };
  const watching = await Promise.all([removed, switched].map(open));
  const bystander = await connectLive(replica.url, headers);
  bystander.say({ action: 'subscribe', channel });
  await bystander.next(({ type }) => type === 'snapshot');

  await em.nativeDelete(Membership, { tenantId, userId: removed.userId });
  const to = { tenant_id: other.tenantId };
  assert.equal((await switched.client.post('/auth/switch-tenant', to)).status, 200);
  // Confirmed access is valid for one second.
  await sleep(1_100);
  const before = watching.map(({ live }) => live.frames.length);
  await note(id, 0, 'rejected');
  await bystander.next(({ type }) => type === 'file.status');
  for (const [at, { live, events }] of watching.entries()) {
    assert.equal((await live.closed).code, 1008);
    assert.equal(live.frames.length, before[at]);
    assert.equal((await events.next()).done, true);
  }
  bystander.socket.close();
});

test('a tenant has at most fifty connections per process, and a closed one frees its slot', async () => {
  const key = { 'X-API-Key': run.tenants.starter.api_key };
  const open = await Promise.all(Array.from({ length: 50 }, () => connectLive(impatient.url, key)));
  const { status, body } = await refusal(impatient.url, key);
  assert.deepEqual([status, body.code], [429, 'TOO_MANY_CONNECTIONS']);
  const another = await connectLive(impatient.url, headers);
  another.socket.close();
  open[0]?.socket.close();
  await eventually(async () => (await connectLive(impatient.url, key)).socket.terminate());
  for (const { socket } of open) socket.terminate();
});

test('event streams count towards the same fifty, and free their slots', async () => {
  const { id } = await quietSession(1);
  const url = `${impatient.url}/files/sessions/${id}/events`;
  const leave = new AbortController();
  const listen = (signal: AbortSignal) => fetch(url, { headers, signal });
  const sockets = await Promise.all(Array.from({ length: 25 }, () => connectLive(impatient.url, headers)));
  const streams = await Promise.all(Array.from({ length: 25 }, () => listen(leave.signal)));
  assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200]);
  const refused = await listen(AbortSignal.timeout(60_000));
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(((await refused.json()) as Json).code, 'TOO_MANY_CONNECTIONS');
  assert.equal((await refusal(impatient.url, headers)).status, 429);
  const absent = `${impatient.url}/files/sessions/${randomUUID()}/events`;
  assert.equal((await fetch(absent, { headers })).status, 429, 'refused before any read');

  sockets[0]?.socket.terminate();
  await eventually(async () => {
    const again = await listen(leave.signal);
    if (again.status !== 200) await again.text();
    assert.equal(again.status, 200);
  });
  leave.abort();
  for (const { socket } of sockets) socket.terminate();
  const reopened: Awaited<ReturnType<typeof connectLive>>[] = [];
  await eventually(async () => {
    while (reopened.length < 50) reopened.push(await connectLive(impatient.url, headers));
  });
  for (const { socket } of reopened) socket.terminate();
  await eventually(async () => assert.equal((await fetch(absent, { headers })).status, 404));
  for (let count = 0; count < 50; count++)
    assert.equal((await fetch(absent, { headers })).status, 404, 'no slot is left taken');
  assert.equal((await client.post(`/files/sessions/${id}/cancel`, {})).status, 200);
});

test('a stopping replica asks its clients to reconnect elsewhere', async () => {
  const { id, channel } = await batch(40);
  const leaving = await startReplica();
  const live = await connectLive(leaving.url, headers);
  live.say({ action: 'subscribe', channel });
  const { seq } = await live.next(({ type }) => type === 'snapshot');
  const silent = await connectLive(leaving.url, headers);
  silent.socket.pause();
  await leaving.stop();
  assert.equal((await live.closed).code, 1001);
  silent.socket.terminate();

  const elsewhere = await connectLive(replica.url, headers);
  elsewhere.say({ action: 'subscribe', channel, after_seq: seq });
  await client.post(`/files/sessions/${id}/cancel`, {});
  await elsewhere.next(isLast);
  elsewhere.socket.close();
});
