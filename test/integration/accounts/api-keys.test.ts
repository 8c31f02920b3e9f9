import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { changeApiKey, revokeApiKey } from '../../../services/accounts/api-keys/change-api-key.ts';
import { changeTenantSettings } from '../../../services/accounts/tenants/tenant-settings.ts';
import { generateApiKey } from '../../../services/accounts/api-key.ts';
import { retireStorage } from '../../../services/storage/retire-storage.ts';
import { createClient, eventually, sharedRun, type Client, type Json } from '../../support/api.ts';
import { openBrowser } from '../../support/browser.ts';
import { connectLive } from '../../support/live-client.ts';
import { logIn, type LoggedIn } from '../../support/login.ts';
import { mailsTo } from '../../support/mails.ts';
import { startReplica, type Replica } from '../../support/replica.ts';

/** API keys, on two replicas of the API. */
const run = sharedRun();
let orm: Orm;
let replica: Replica;
let elsewhere: { api_url: string; api_key: string };
before(async () => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  replica = await startReplica({ LIVE_PING_SECONDS: '1' });
  elsewhere = { api_url: replica.url, api_key: '' };
});
after(async () => {
  await replica?.stop();
  await orm.close(true);
});

async function createKey(client: Client, body: Json = {}): Promise<Json> {
  const answer = await client.post('/api-keys', { name: 'ci', ...body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}
const statusOf = async (client: Client, path = '/files?limit=1') => (await client.get(path)).status;
const codeOf = (answer: { status: number; body: Json }) => [answer.status, answer.body.code];
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

test('the mail of a password reset names the live keys, and the reset revokes them only on request', async () => {
  const owner = await logIn(orm, run);
  const { body: key } = await owner.client.post('/api-keys', { name: 'mine' });
  const browser = openBrowser(run.api_url);
  for (const [revoke, status, says] of [
    [undefined, 200, '0 revoked, 1 valid'],
    [true, 401, '1 revoked, 0 valid'],
  ] as const) {
    const before = mailsTo(owner.email).length;
    await browser.post('/auth/forgot-password', { email: owner.email });
    const mail = await eventually(async () => mailsTo(owner.email)[before] ?? assert.fail('no mail yet'));
    assert.match(mail.text.replaceAll(/=?\r?\n/g, ''), /API keys that you have created and that work: 1/);
    const password = `chosen-${randomUUID()}`;
    const body = { token: mail.token, password, ...(revoke && { revoke_api_keys: revoke }) };
    const reset = await browser.post('/auth/reset-password', body);
    assert.equal(reset.status, 200, JSON.stringify(reset.body));
    assert.ok(reset.body.message.includes(says), reset.body.message);
    assert.equal((await createClient(run, key.key).get('/files?limit=1')).status, status);
  }
});

test('an admin who is removed after authentication of a request changes neither settings, keys nor the bucket', async () => {
  const { tenantId, ...owner } = await logIn(orm, run);
  const { body: key } = await owner.client.post('/api-keys', { name: 'mine' });
  const late = await logIn(orm, run, { tenantId, role: 'admin' });
  const credential = {
    kind: 'session',
    sessionId: late.sessionId,
    userId: late.userId,
  } as const;
  const actor = { tenantId, userId: late.userId, credential, ipAddress: '127.0.0.1' };
  assert.equal((await owner.client.delete(`/tenant/members/${late.userId}`)).status, 200);
  for (const change of [
    () => changeTenantSettings(orm.em.fork(), actor, { name: 'taken' }),
    () => revokeApiKey(orm.em.fork(), actor, key.id),
    () => changeApiKey(orm.em.fork(), actor, key.id, { name: 'taken' }),
    () => retireStorage(orm.em.fork(), actor),
  ]) {
    await assert.rejects(change, { code: 'FORBIDDEN' });
  }
});

test('a key is shown once, works on every replica, and is revoked on every replica immediately', async () => {
  const owner = await logIn(orm, run);
  const created = await createKey(owner.client, { name: '  build server ', expires_at: tomorrow() });
  const { key, ...record } = created;
  assert.match(key, new RegExp(`^drk_${created.id}_[\\w-]{43}$`));
  assert.equal(record.name, 'build server');
  assert.equal(record.created_by, owner.userId);
  assert.deepEqual(record.scopes, [
    'files.read',
    'files.write',
    'files.erase',
    'extract.run',
    'usage.read',
    'webhooks.manage',
    'audit.read',
  ]);
  assert.equal(record.key_hint, `drk_${created.id}_…`);
  assert.equal(record.last_used_at, null);

  const shown = await owner.client.get(`/api-keys/${created.id}`);
  assert.deepEqual(shown.body, record);
  const listed = await owner.client.get('/api-keys');
  assert.deepEqual(listed.body.items, [record]);
  assert.ok(!JSON.stringify([shown.body, listed.body]).includes(key.slice(-20)));

  const clients = [createClient(run, key), createClient(elsewhere, key)];
  for (const client of clients) assert.equal(await statusOf(client), 200);
  assert.ok((await owner.client.get(`/api-keys/${created.id}`)).body.last_used_at);
  const live = await connectLive(replica.url, { 'X-API-Key': key });

  const revoked = await owner.client.delete(`/api-keys/${created.id}`);
  assert.equal(revoked.status, 200);
  assert.ok(revoked.body.revoked_at);
  for (const client of clients) assert.equal(await statusOf(client), 401);
  assert.deepEqual(await live.closed, { code: 1008, reason: 'the API key is not valid' });

  const again = await owner.client.delete(`/api-keys/${created.id}`);
  assert.equal(again.body.revoked_at, revoked.body.revoked_at, 'revoking again changes nothing');
  assert.deepEqual(codeOf(await owner.client.patch(`/api-keys/${created.id}`, { name: 'x' })), [
    409,
    'API_KEY_ENDED',
  ]);
  assert.equal((await owner.client.get('/api-keys?active=true')).body.total_count, 0);
  assert.equal((await owner.client.get('/api-keys?active=false')).body.total_count, 1);
  const events = await owner.client.get('/tenant/audit-logs');
  assert.deepEqual(
    events.body.items.map((event: Json) => [
      event.event_type,
      event.resource_id,
      event.user_id,
      event.result,
    ]),
    [
      ['api_key.revoked', created.id, owner.userId, 'success'],
      ['api_key.created', created.id, owner.userId, 'success'],
    ],
  );
  assert.ok(!JSON.stringify(events.body).includes(key.slice(-20)));
});

test('requests in flight when a key is revoked are answered, and none after it', async () => {
  const owner = await logIn(orm, run);
  const { id, key } = await createKey(owner.client);
  const clients = [createClient(run, key), createClient(elsewhere, key)];
  let revoked = false;
  const users = clients.map(async (client) => {
    for (;;) {
      const asked = revoked;
      const status = await statusOf(client);
      if (asked) return status;
      assert.ok(status === 200 || status === 401, String(status));
    }
  });
  assert.equal((await owner.client.delete(`/api-keys/${id}`)).status, 200);
  revoked = true;
  assert.deepEqual(await Promise.all(users), [401, 401]);
});

test('scopes narrow a key, and a change takes effect with the next request', async () => {
  const owner = await logIn(orm, run);
  const { id, key } = await createKey(owner.client, { scopes: ['usage.read', 'usage.read'] });
  const client = createClient(elsewhere, key);
  assert.deepEqual(codeOf(await client.get('/files')), [403, 'FORBIDDEN']);
  const changed = await owner.client.patch(`/api-keys/${id}`, { scopes: ['files.read'], name: 'reader' });
  assert.deepEqual([changed.body.scopes, changed.body.name], [['files.read'], 'reader']);
  assert.equal(await statusOf(client), 200);
  const form = new FormData();
  form.append('file', new Blob(['x']), 'a.png');
  assert.equal((await client.request('POST', '/files/upload', { body: form })).status, 403);
  const all = await owner.client.patch(`/api-keys/${id}`, { scopes: null, name: null });
  assert.deepEqual([all.body.scopes.length, all.body.name], [7, 'reader']);
  const expiring = await owner.client.patch(`/api-keys/${id}`, { expires_at: tomorrow() });
  assert.ok(expiring.body.expires_at);
  assert.equal((await owner.client.patch(`/api-keys/${id}`, { expires_at: null })).body.expires_at, null);
  assert.deepEqual((await owner.client.patch(`/api-keys/${id}`, {})).body.name, 'reader');
});

test('invalid input is refused with the field', async () => {
  const { client } = await logIn(orm, run);
  const bad: [Json, string][] = [
    [{}, '/body/name'],
    [{ name: ' ' }, '/body/name'],
    [{ name: 'x'.repeat(101) }, '/body/name'],
    [{ name: 'x', scopes: ['files.eat'] }, '/body/scopes/0'],
    [{ name: 'x', scopes: ['tenant.manage'] }, '/body/scopes/0'],
    [{ name: 'x', scopes: [] }, '/body/scopes'],
    [{ name: 'x', expires_at: 'tomorrow' }, '/body/expires_at'],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, '/body/expires_at'],
    [{ name: 'x', role: 'owner' }, '/body/role'],
  ];
  for (const [body, pointer] of bad) {
    const answer = await client.post('/api-keys', body);
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.pointer], [422, pointer], JSON.stringify(body));
  }
});

test('only an admin with a login session and a verified address creates keys, from STARTER on', async () => {
  const owner = await logIn(orm, run, { tier: 'starter' });
  const { key } = await createKey(owner.client);
  assert.deepEqual(codeOf(await createClient(run, key).post('/api-keys', { name: 'x' })), [
    403,
    'LOGIN_SESSION_REQUIRED',
  ]);
  const { tenantId } = owner;
  for (const role of ['viewer', 'editor'] as const) {
    const { client } = await logIn(orm, run, { tenantId, role });
    assert.deepEqual(codeOf(await client.post('/api-keys', { name: 'x' })), [403, 'FORBIDDEN']);
    assert.deepEqual(codeOf(await client.get('/api-keys')), [403, 'FORBIDDEN']);
  }
  const unverified = await logIn(orm, run, { emailVerified: false });
  assert.deepEqual(codeOf(await unverified.client.post('/api-keys', { name: 'x' })), [
    401,
    'UNAUTHENTICATED',
  ]);
  const free = await logIn(orm, run, { tier: 'free' });
  assert.deepEqual(codeOf(await free.client.post('/api-keys', { name: 'x' })), [403, 'INSUFFICIENT_TIER']);
  assert.equal(await statusOf(free.client, '/api-keys'), 200);
});

test('keys of other tenants look like unknown ones', async () => {
  const [one, other] = await Promise.all([logIn(orm, run), logIn(orm, run)]);
  const { id } = await createKey(one.client);
  const asked = async (client: Client, key: string) => [
    codeOf(await client.get(`/api-keys/${key}`)),
    codeOf(await client.patch(`/api-keys/${key}`, { name: 'mine' })),
    codeOf(await client.delete(`/api-keys/${key}`)),
  ];
  const absent = [
    [404, 'NOT_FOUND'],
    [404, 'NOT_FOUND'],
    [404, 'NOT_FOUND'],
  ];
  assert.deepEqual(await asked(other.client, id), absent);
  assert.deepEqual(await asked(other.client, 'zzzzzzzz'), absent);
  assert.equal((await other.client.get('/api-keys')).body.total_count, 0);
  assert.equal((await one.client.get(`/api-keys/${id}`)).body.revoked_at, null);
});

test('a key has the current rights of its creator, and ends with their membership or account', async () => {
  const owner = await logIn(orm, run);
  const { tenantId } = owner;
  const admin = await logIn(orm, run, { tenantId, role: 'admin' });
  const { id, key } = await createKey(admin.client);
  const client = createClient(elsewhere, key);
  const write = () => client.patch(`/files/${randomUUID()}`, { title: 'x' });
  assert.equal((await write()).status, 404);

  const role = `/tenant/members/${admin.userId}/role`;
  assert.equal((await owner.client.patch(role, { role: 'viewer' })).status, 200);
  assert.deepEqual(codeOf(await write()), [403, 'FORBIDDEN']);
  assert.equal(await statusOf(client), 200);
  assert.deepEqual((await owner.client.get(`/api-keys/${id}`)).body.scopes, ['files.read', 'usage.read']);
  assert.equal((await owner.client.patch(role, { role: 'admin' })).status, 200);
  assert.equal((await write()).status, 404);

  const em = orm.em.fork();
  await em.nativeUpdate(User, { id: admin.userId }, { isActive: false });
  assert.equal(await statusOf(client), 401);
  await em.nativeUpdate(User, { id: admin.userId }, { isActive: true });
  assert.equal(await statusOf(client), 200);

  assert.equal((await owner.client.delete(`/tenant/members/${admin.userId}`)).status, 200);
  assert.equal(await statusOf(client), 401);
  await em.insert(Membership, { tenantId, userId: admin.userId, role: 'admin', joinedAt: new Date() });
  assert.equal(await statusOf(client), 401, 'keys of a former membership stay invalid');

  const leaving = await logIn(orm, run, { tenantId, role: 'admin' });
  const second = await createKey(leaving.client);
  await em.execute('delete from login_sessions where user_id = ?', [leaving.userId]);
  await em.nativeDelete(Membership, { userId: leaving.userId });
  await em.nativeDelete(User, { id: leaving.userId });
  assert.equal(await statusOf(createClient(run, second.key)), 401);
  assert.equal(await em.count(ApiKey, { id: second.id }), 0);
});

test('a member who is removed while creating a key leaves none that works', async () => {
  const owner = await logIn(orm, run);
  const { tenantId } = owner;
  for (let round = 0; round < 4; round++) {
    const admin = await logIn(orm, run, { tenantId, role: 'admin' });
    const [created, removed] = await Promise.all([
      admin.client.post('/api-keys', { name: 'race' }),
      owner.client.delete(`/tenant/members/${admin.userId}`),
    ]);
    assert.equal(removed.status, 200);
    assert.ok([201, 401, 403].includes(created.status), String(created.status));
    assert.equal(await orm.em.fork().count(ApiKey, { createdBy: admin.userId, revokedAt: null }), 0);
    if (created.status === 201) assert.equal(await statusOf(createClient(run, created.body.key)), 401);
  }
});

test('an account has at most a hundred live keys, also when several are created at once', async () => {
  const owner = await logIn(orm, run);
  const em = orm.em.fork();
  const rows = Array.from({ length: 99 }, (_, i) => {
    const { id, hash } = generateApiKey();
    const ended = i < 4 ? { revokedAt: new Date() } : i < 8 ? { expiresAt: new Date(Date.now() - 1000) } : {};
    return { id, hash, ended };
  });
  for (const { id, hash, ended } of rows) {
    await em.insert(ApiKey, {
      id,
      tenantId: owner.tenantId,
      name: 'seeded',
      keyHash: hash,
      role: 'owner',
      createdAt: new Date(),
      ...ended,
    });
  }
  for (let i = 0; i < 7; i++) await createKey(owner.client);
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => owner.client.post('/api-keys', { name: 'one more' })),
  );
  assert.deepEqual(answers.map((answer) => [answer.status, answer.body.code]).toSorted(), [
    [201, undefined],
    [201, undefined],
    [409, 'API_KEY_LIMIT'],
  ]);
  assert.equal((await owner.client.get('/api-keys?active=true&limit=1')).body.total_count, 100);
  const page = await owner.client.get('/api-keys?limit=2&offset=1');
  assert.deepEqual([page.body.items.length, page.body.has_more, page.body.total_count], [2, true, 108]);
});

test('an expired key is refused, and its expiry can no longer be changed', async () => {
  const owner = await logIn(orm, run);
  const { id, key } = await createKey(owner.client, {
    expires_at: new Date(Date.now() + 1500).toISOString(),
  });
  await eventually(async () => assert.equal(await statusOf(createClient(run, key)), 401));
  assert.deepEqual(codeOf(await owner.client.patch(`/api-keys/${id}`, { expires_at: tomorrow() })), [
    409,
    'API_KEY_ENDED',
  ]);
});

test('a creation is not replayed for an Idempotency-Key, since the API key itself is not stored', async () => {
  const owner: LoggedIn = await logIn(orm, run);
  const create = () =>
    owner.client.request('POST', '/api-keys', {
      body: JSON.stringify({ name: 'twice' }),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'same' },
    });
  const [one, other] = [await create(), await create()];
  assert.deepEqual([one.status, other.status], [201, 201]);
  assert.notEqual(one.body.key, other.body.key);
  assert.equal(other.headers.get('idempotency-replayed'), null);
});
