import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import { RateLimitCounter } from '../../../db/entities/accounts/rate-limit-counter.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { generateApiKey } from '../../../services/accounts/api-key.ts';
import { consumeRateLimits } from '../../../services/accounts/consume.ts';
import { createClient, sharedRun, type Answer } from '../../support/api.ts';
import { startReplica } from '../../support/replica.ts';

const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

/** A tenant with keys, whose requests are limited. */
async function limitedTenant(requestsPerMinute: number | null, tier: 'starter' | 'professional' = 'starter') {
  const em = orm.em.fork();
  const tenantId = randomUUID();
  const createdAt = new Date();
  await em.insert(Tenant, {
    id: tenantId,
    name: 'limited',
    tier,
    maxRequestsPerMinute: requestsPerMinute,
    createdAt,
  });
  const newKey = async () => {
    const { id, key, hash } = generateApiKey();
    await em.insert(ApiKey, { id, tenantId, name: 'limited', keyHash: hash, role: 'owner', createdAt });
    return key;
  };
  return { tenantId, newKey };
}

const limitOf = ({ headers }: Answer) =>
  ['Limit', 'Remaining', 'Reset'].map((name) => Number(headers.get(`X-RateLimit-${name}`) ?? NaN));

test('all keys of a tenant share its limit, on all replicas, whatever address they claim', async () => {
  const tenant = await limitedTenant(6);
  const replica = await startReplica();
  try {
    const here = createClient(run, await tenant.newKey());
    const there = createClient({ ...run, api_url: replica.url }, await tenant.newKey());
    const remaining: number[] = [];
    for (const client of [here, there, here, there, here, there]) {
      const answer = await client.request('GET', '/files?limit=1', {
        headers: { 'X-Forwarded-For': `198.51.100.${remaining.length}` },
      });
      assert.equal(answer.status, 200);
      const [limit, left, reset] = limitOf(answer);
      assert.equal(limit, 6);
      assert.ok(Math.abs(Number(reset) - Date.now() / 1000) <= 61);
      remaining.push(Number(left));
    }
    assert.deepEqual(remaining, [5, 4, 3, 2, 1, 0]);

    for (const client of [here, there]) {
      const refused = await client.get('/files');
      assert.equal(refused.status, 429);
      assert.equal(refused.body.code, 'RATE_LIMITED');
      const retryAfter = Number(refused.headers.get('Retry-After'));
      assert.ok(retryAfter >= 1 && retryAfter <= 60);
      assert.equal(limitOf(refused)[1], 0);
    }
    const other = createClient(run, await (await limitedTenant(6)).newKey());
    assert.equal((await other.get('/files')).status, 200);
  } finally {
    await replica.stop();
  }
});

test('a tenant without its own limits has those of its tier', async () => {
  const tenant = await limitedTenant(null, 'professional');
  const client = createClient(run, await tenant.newKey());
  assert.deepEqual(limitOf(await client.get('/files?limit=1')).slice(0, 2), [100, 99]);
});

test('responses to an unlimited tenant have no limit headers', async () => {
  const client = createClient(run, await (await limitedTenant(-1)).newKey());
  assert.equal((await client.get('/files?limit=1')).headers.get('X-RateLimit-Limit'), null);
});

test('refused requests and unknown ids count, so that probing is bounded', async () => {
  const tenant = await limitedTenant(2);
  const client = createClient(run, await tenant.newKey());
  assert.equal((await client.get('/files?limit=0')).status, 422);
  assert.equal((await client.get(`/files/${randomUUID()}`)).status, 404);
  assert.equal((await client.get('/files')).status, 429);
});

test('concurrent requests never exceed a limit', async () => {
  const tenant = await limitedTenant(10);
  const client = createClient(run, await tenant.newKey());
  const answers = await Promise.all(Array.from({ length: 25 }, () => client.get('/files?limit=1')));
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  assert.equal(answers.filter(({ status }) => status === 429).length, 15);
});

test('wrong keys and cookies are limited by network, and do not lock out a key that was right before', async () => {
  const tenant = await limitedTenant(-1);
  const limits = { AUTH_ATTEMPTS_PER_MINUTE: '1', TRUSTED_PROXIES: '127.0.0.1' };
  const replica = await startReplica(limits);
  try {
    const at = { ...run, api_url: replica.url };
    const from = (address: string, credentials: Record<string, string>) =>
      createClient(at, { ...credentials, 'X-Forwarded-For': address }).get('/files?limit=1');
    const [good, fresh] = [{ 'X-API-Key': await tenant.newKey() }, { 'X-API-Key': await tenant.newKey() }];
    assert.equal((await from('203.0.113.7', good)).status, 200);
    // Repeating the same wrong key is not guessing.
    const revoked = { 'X-API-Key': generateApiKey().key };
    for (let count = 0; count < 12; count++) assert.equal((await from('203.0.113.7', revoked)).status, 401);
    for (let count = 0; count < 11; count++) {
      const wrong: Record<string, string> =
        count % 2 ? { Cookie: `session=${randomUUID()}` } : { 'X-API-Key': generateApiKey().key };
      assert.equal((await from('203.0.113.7', wrong)).status, 401);
    }
    const refused = await from('203.0.113.7', { 'X-API-Key': generateApiKey().key });
    assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED']);
    assert.ok(Number(refused.headers.get('Retry-After')) >= 1);
    assert.equal(
      (await from('203.0.113.7', fresh)).status,
      429,
      'a new key is not looked up in the database',
    );
    assert.equal((await from('203.0.113.7', good)).status, 200);
    assert.equal((await from('203.0.113.8', fresh)).status, 200);
  } finally {
    await replica.stop();
  }
});

test('a new window starts from zero, and concurrent checks of several limits in any order succeed', async () => {
  const em = orm.em.fork();
  const [a, b] = [randomUUID(), randomUUID()];
  const limits = [
    { key: b, requests: 1, seconds: 60 },
    { key: a, requests: 2, seconds: 60 },
  ];
  const both = await Promise.all(
    [limits, limits.toReversed()].map((some) => consumeRateLimits(orm.em.fork(), some)),
  );
  assert.equal(both.flat().filter(({ key, exceeded }) => key === b && exceeded).length, 1);
  assert.equal(both.flat().filter(({ key, exceeded }) => key === a && exceeded).length, 0);

  await em.nativeUpdate(RateLimitCounter, { key: b }, { resetsAt: new Date(Date.now() - 1) });
  const [again] = await consumeRateLimits(em, [{ key: b, requests: 1, seconds: 60 }]);
  assert.equal(again?.exceeded, false);
});
