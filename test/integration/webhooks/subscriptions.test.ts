import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createClient, sharedRun, type Client, type Json } from '../../support/api.ts';
import { logIn } from '../../support/login.ts';

/** Settings of webhooks, without deliveries. */
const run = sharedRun();
const SUBSCRIPTIONS = '/webhooks/subscriptions';
let orm: Orm;
before(() => {
  orm = createOrm(readConfig([databaseConfig], process.env));
});
after(() => orm.close(true));

const wanted = (more: Json = {}): Json => ({
  url: 'https://example.com/hook',
  event_types: ['file.*'],
  ...more,
});

async function create(client: Client, more: Json = {}): Promise<Json> {
  const { status, body } = await client.post(SUBSCRIPTIONS, wanted(more));
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

test('a webhook is created, read, changed, listed and deleted, and the audit log has all of it', async () => {
  const { client, userId } = await logIn(orm, run);
  const { secret, ...created } = await create(client, { description: 'Warehouse' });
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { id, created_at: _created, updated_at: _updated, ...fields } = created;
  assert.deepEqual(fields, {
    url: 'https://example.com/hook',
    description: 'Warehouse',
    event_types: ['file.*'],
    ordered: false,
    enabled: true,
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    previous_secret_until: null,
    subject_kind: null,
    subject_id: null,
    created_by: userId,
  });
  assert.deepEqual((await client.get(`${SUBSCRIPTIONS}/${id}`)).body, created);
  const change = { event_types: ['*', '*'], ordered: true, description: null, enabled: false };
  const { body: changed } = await client.patch(`${SUBSCRIPTIONS}/${id}`, change);
  assert.deepEqual(
    [changed.event_types, changed.ordered, changed.description, changed.enabled, changed.disabled_reason],
    [['*'], true, null, false, null],
  );
  const { body: list } = await client.get(SUBSCRIPTIONS);
  assert.deepEqual([list.total_count, list.items[0].id], [1, id]);
  assert.equal((await client.post(`${SUBSCRIPTIONS}/${id}/rotate-secret`, {})).status, 200);
  assert.equal((await client.delete(`${SUBSCRIPTIONS}/${id}`)).status, 204);
  for (const path of [id, `${id}/deliveries`])
    assert.equal((await client.get(`${SUBSCRIPTIONS}/${path}`)).status, 404);
  assert.equal((await client.get(SUBSCRIPTIONS)).body.total_count, 0);
  const { body: log } = await client.get('/tenant/audit-logs?limit=10');
  const types = log.items.map(({ event_type: type }: Json) => type);
  assert.deepEqual(types, [
    'webhook.deleted',
    'webhook.secret_rotated',
    'webhook.changed',
    'webhook.created',
  ]);
  assert.ok(!JSON.stringify(log).includes('whsec_'));
});

test('a forbidden URL, an unknown type and a weak secret are refused', async () => {
  const { client } = await logIn(orm, run);
  const secret = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;
  for (const [more, pointer] of [
    [{ url: 'ftp://example.com' }, '/body/url'],
    [{ url: 'example.com' }, '/body/url'],
    [{ url: 'https://user:password@example.com' }, '/body/url'],
    [{ url: 'https://10.0.0.1/hook' }, '/body/url'],
    [{ url: 'https://[::ffff:10.0.0.1]/hook' }, '/body/url'],
    [{ url: 'https://2130706434/hook' }, '/body/url'],
    [{ url: 'http://93.184.216.34/hook' }, '/body/url'],
    [{ url: 'https://169.254.169.254/latest' }, '/body/url'],
    [{ url: 'https://168.63.129.16/' }, '/body/url'],
    [{ event_types: [] }, '/body/event_types'],
    [{ event_types: ['file.eaten'] }, '/body/event_types/0'],
    [{ event_types: ['fi*'] }, '/body/event_types/0'],
    [{ secret: secret(23) }, '/body/secret'],
    [{ secret: secret(65) }, '/body/secret'],
    [{ secret: randomBytes(32).toString('base64') }, '/body/secret'],
  ] as const) {
    const { status, body } = await client.post(SUBSCRIPTIONS, wanted(more));
    assert.deepEqual([status, body.errors?.[0]?.pointer], [422, pointer], JSON.stringify([more, body]));
  }
  const own = secret(24);
  assert.equal((await create(client, { secret: own })).secret, own);
  assert.equal((await create(client, { url: 'http://127.0.0.1:9/hook' })).enabled, true);
});

test('an account has at most twenty webhooks, however many are created at once', async () => {
  const { client } = await logIn(orm, run);
  const answers = await Promise.all(Array.from({ length: 24 }, () => client.post(SUBSCRIPTIONS, wanted())));
  const codes = answers.map(({ status, body }) => (status === 201 ? 'created' : body.code));
  assert.equal(codes.filter((code) => code === 'created').length, 20);
  assert.equal(codes.filter((code) => code === 'WEBHOOK_LIMIT').length, 4);
});

test('a key needs the scope and an admin as its creator', async () => {
  const { client } = await logIn(orm, run);
  const keyOf = async (scopes: string[] | null) => {
    const { body } = await client.post('/api-keys', { name: 'hooks', scopes });
    return createClient(run, body.key);
  };
  const narrow = await keyOf(['files.read']);
  const refused = await narrow.post(SUBSCRIPTIONS, wanted());
  assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
  const wide = await keyOf(['webhooks.manage']);
  const { id, created_by: by } = await create(wide);
  assert.equal(by, null);
  assert.equal((await wide.patch(`${SUBSCRIPTIONS}/${id}`, { ordered: true })).body.ordered, true);
});

test('foreign webhooks and deliveries look like unknown ones', async () => {
  const [{ client: mine }, { client: other }] = [await logIn(orm, run), await logIn(orm, run)];
  const { id } = await create(mine, { enabled: true, url: 'https://127.0.0.1:9/closed' });
  const { body: delivery } = await mine.post(`${SUBSCRIPTIONS}/${id}/test`, {});
  for (const path of [`${SUBSCRIPTIONS}/${id}`, `${SUBSCRIPTIONS}/${id}/deliveries`])
    assert.equal((await other.get(path)).status, 404);
  assert.equal((await other.get(`/webhooks/deliveries/${delivery.id}`)).status, 404);
  assert.equal((await other.get('/webhooks/deliveries/nonsense')).status, 404);
  for (const path of [
    `${SUBSCRIPTIONS}/${id}/test`,
    `${SUBSCRIPTIONS}/${id}/rotate-secret`,
    `/webhooks/deliveries/${delivery.id}/redeliver`,
  ]) {
    assert.equal((await other.post(path, {})).status, 404, path);
  }
  assert.equal((await other.delete(`${SUBSCRIPTIONS}/${id}`)).status, 404);
  assert.equal((await mine.get(`/webhooks/deliveries/${delivery.id}`)).status, 200);
});
