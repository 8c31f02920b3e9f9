import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { MODELS } from '../../../engines/models/catalogue.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { closeReservations, reserveCredits } from '../../../services/accounts/credits.ts';
import { sharedRun, type Json } from '../../support/api.ts';
import { logIn } from '../../support/login.ts';

/** Settings and limits of a tenant. */
const run = sharedRun();
let orm: Orm;
before(() => {
  orm = createOrm(readConfig([databaseConfig], process.env));
});
after(() => orm.close(true));

test('settings show the defaults, and a change of some keeps the others', async () => {
  const { client, tenantId, userId } = await logIn(orm, run, { tier: 'starter' });
  const { status, body } = await client.get('/tenant/settings');
  assert.equal(status, 200);
  const {
    created_at: createdAt,
    updated_at: updatedAt,
    configured_vlm_providers: connected,
    ...settings
  } = body;
  assert.ok(connected.every((provider: string) => body.allowed_vlm_providers.includes(provider)));
  assert.ok(createdAt && updatedAt);
  const all = ['openai', 'anthropic', 'google', 'azure', 'aws'];
  assert.deepEqual(settings, {
    id: tenantId,
    name: 'test',
    owner_user_id: userId,
    is_active: true,
    allowed_vlm_providers: all,
    page_layout: 'auto',
    allowed_domains: [],
    session_hours: 720,
    max_monthly_credits: 1000,
    max_requests_per_minute: -1,
    retention_days: null,
    trash_days: 30,
    custom_config: {},
    subscription_tier: 'starter',
    subscription_expires_at: null,
    // Stacks of tests have none.
    missing_models: MODELS.map(({ name, purpose }) => ({ name, purpose })),
    current_month_credits: 0,
    current_month_cost: 0,
    total_credits: 0,
    total_cost: 0,
  });

  const changes = {
    name: '  Harbour photos ',
    allowed_vlm_providers: ['openai', 'openai'],
    page_layout: 'always',
    allowed_domains: ['Example.COM', 'example.com', 'Bücher.example'],
    custom_config: { theme: { colour: 'teal' }, flags: [1, null, 'x'] },
  };
  const changed = await client.patch('/tenant/settings', changes);
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.ok(changed.body.updated_at >= updatedAt);
  assert.equal(changed.body.name, 'Harbour photos');
  assert.deepEqual([changed.body.allowed_vlm_providers, changed.body.page_layout], [['openai'], 'always']);
  assert.deepEqual(changed.body.allowed_domains, ['example.com', 'xn--bcher-kva.example']);
  assert.deepEqual(changed.body.custom_config, changes.custom_config);

  // Concurrent changes do not undo each other.
  await Promise.all([
    client.patch('/tenant/settings', { name: 'Photos' }),
    client.patch('/tenant/settings', { custom_config: null, allowed_vlm_providers: [] }),
  ]);
  const after = (await client.patch('/tenant/settings', { name: null })).body;
  assert.deepEqual([after.name, after.custom_config, after.allowed_vlm_providers], ['Photos', {}, []]);
  assert.deepEqual(after.allowed_domains, ['example.com', 'xn--bcher-kva.example']);
  const cleared = await client.patch('/tenant/settings', {
    allowed_vlm_providers: null,
    allowed_domains: null,
  });
  assert.deepEqual([cleared.body.allowed_vlm_providers, cleared.body.allowed_domains], [all, []]);

  const { body: log } = await client.get('/tenant/audit-logs?event_type=tenant.settings_changed');
  assert.deepEqual(log.items.at(-1).metadata.changed.toSorted(), [
    'allowed_domains',
    'allowed_vlm_providers',
    'custom_config',
    'name',
    'page_layout',
  ]);
  assert.ok(!JSON.stringify(log).includes('teal'));
  assert.equal(log.total_count, 4, 'a change to the same values is not recorded');
});

test('a length of sessions ends those that are open, bounds later logins, and comes along into an account with one', async () => {
  const { client, tenantId, sessionId } = await logIn(orm, run);
  const other = await logIn(orm, run, { tenantId });
  const em = () => orm.em.fork();
  const hoursOf = async (id: string) => {
    const [row] = await em().execute<{ hours: number }[]>(
      'select extract(epoch from expires_at - created_at)::float8 / 3600 as hours from login_sessions where id = ?',
      [id],
    );
    return row?.hours;
  };
  await em().execute(`update login_sessions set created_at = created_at - interval '9 hours' where id = ?`, [
    other.sessionId,
  ]);
  const changed = await client.patch('/tenant/settings', { session_hours: 8 });
  assert.deepEqual([changed.status, changed.body.session_hours], [200, 8]);
  assert.equal(await hoursOf(sessionId), 8);
  assert.equal((await other.client.get('/auth/session')).status, 401);
  const later = await logIn(orm, run, { tenantId });
  assert.equal(await hoursOf(later.sessionId), 8);
  // A longer one does not lengthen sessions that are open.
  assert.equal((await client.patch('/tenant/settings', { session_hours: null })).body.session_hours, 720);
  assert.equal(await hoursOf(sessionId), 8);

  const strict = await logIn(orm, run);
  await strict.client.patch('/tenant/settings', { session_hours: 2 });
  const both = {
    tenantId: strict.tenantId,
    userId: later.userId,
    role: 'viewer',
    joinedAt: new Date(),
  } as const;
  await em().insert(Membership, both);
  const age = (hours: number) =>
    em().execute(`update login_sessions set created_at = now() - ? * interval '1 hour' where id = ?`, [
      hours,
      later.sessionId,
    ]);
  await age(3);
  const refused = await later.client.post('/auth/switch-tenant', { tenant_id: strict.tenantId });
  assert.deepEqual([refused.status, refused.body.code], [403, 'LOGIN_TOO_OLD'], JSON.stringify(refused.body));
  assert.equal((await later.client.get('/auth/session')).body.tenant.id, tenantId);
  await age(1);
  const switched = await later.client.post('/auth/switch-tenant', { tenant_id: strict.tenantId });
  assert.equal(switched.status, 200, JSON.stringify(switched.body));
  assert.equal(await hoursOf(later.sessionId), 2);
});

test('fields that the subscription sets and values out of bounds are refused, with the field', async () => {
  const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const bad: [Json, string, RegExp][] = [
    [{ max_monthly_credits: 5, name: 'x' }, '/body/max_monthly_credits', /subscription/],
    [{ max_requests_per_minute: 5 }, '/body/max_requests_per_minute', /subscription/],
    [{ subscription_tier: 'enterprise' }, '/body/subscription_tier', /subscription/],
    [{ id: randomUUID() }, '/body/id', /unknown field/],
    [{ name: '' }, '/body/name', /empty/],
    [{ page_layout: 'sometimes' }, '/body/page_layout', /auto/],
    [{ allowed_vlm_providers: ['acme'] }, '/body/allowed_vlm_providers/0', /openai/],
    [{ allowed_domains: ['not a domain'] }, '/body/allowed_domains/0', /domain name/],
    [{ allowed_domains: ['192.0.2.1'] }, '/body/allowed_domains/0', /domain name/],
    [{ allowed_domains: Array.from({ length: 101 }, () => 'a.example') }, '/body/allowed_domains', /100/],
    [{ session_hours: 0 }, '/body/session_hours', /./],
    [{ session_hours: 721 }, '/body/session_hours', /720/],
    [{ session_hours: 1.5 }, '/body/session_hours', /./],
    [{ custom_config: [1] }, '/body/custom_config', /./],
    [{ custom_config: { text: 'x'.repeat(16 * 1024) } }, '/body/custom_config', /16 KB/],
    [{ custom_config: nested(11) }, '/body/custom_config', /10 deep/],
  ];
  let client = (await logIn(orm, run)).client;
  for (const [i, [body, pointer, message]] of bad.entries()) {
    if (i === 8) ({ client } = await logIn(orm, run));
    const answer = await client.patch('/tenant/settings', body);
    const [error] = answer.body.errors ?? [];
    assert.deepEqual([answer.status, error?.pointer], [422, pointer], JSON.stringify(answer.body));
    assert.match(error.message, message);
  }
  assert.equal((await client.get('/tenant/settings')).body.name, 'test');
  assert.equal((await client.patch('/tenant/settings', { custom_config: nested(10) })).status, 200);
  // Deeper than JSON.stringify can handle.
  const body = `{"custom_config": ${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`;
  const headers = { 'Content-Type': 'application/json' };
  const deep = await client.request('PATCH', '/tenant/settings', { body, headers });
  assert.deepEqual([deep.status, deep.body.errors?.[0]?.pointer], [422, '/body/custom_config']);
});

test('settings can be changed at most ten times a minute', async () => {
  const { client } = await logIn(orm, run);
  for (let i = 0; i < 10; i++) assert.equal((await client.patch('/tenant/settings', {})).status, 200);
  const { status, body, headers } = await client.patch('/tenant/settings', {});
  assert.deepEqual([status, body.code], [429, 'RATE_LIMITED']);
  assert.ok(Number(headers.get('retry-after')) > 0);
});

test('viewers read settings, limits and members, and change nothing', async () => {
  const owner = await logIn(orm, run);
  const { client } = await logIn(orm, run, { tenantId: owner.tenantId, role: 'viewer' });
  for (const path of ['settings', 'limits', 'members']) {
    assert.equal((await client.get(`/tenant/${path}`)).status, 200, path);
  }
  const refused = [
    await client.patch('/tenant/settings', { name: 'x' }),
    await client.post('/tenant/members/invite', { email: 'a@example.org', role: 'viewer' }),
    await client.patch(`/tenant/members/${owner.userId}/role`, { role: 'viewer' }),
    await client.delete(`/tenant/members/${owner.userId}`),
    await client.get('/tenant/audit-logs'),
    await client.get(`/tenant/audit-logs/${randomUUID()}`),
  ];
  for (const { status, body } of refused) assert.deepEqual([status, body.code], [403, 'FORBIDDEN']);
});

test('credits are those of the ledger, counted once, and requests are those of this minute', async () => {
  const { client, tenantId } = await logIn(orm, run, {
    tier: 'starter',
    tenant: { maxRequestsPerMinute: 40, maxMonthlyCredits: 10 },
  });
  const em = orm.em.fork();
  const before = new Date('2025-03-10');
  for (const [id, amount, now] of [
    ['spent', 3, undefined],
    ['refunded', 2, undefined],
    ['open', 4, undefined],
    ['long ago', 5, before],
  ] as const) {
    const reservationId = `${tenantId}/${id}`;
    const charges = [{ operation: 'describe', level: null, credits: amount }] as const;
    await reserveCredits(em, { tenantId, tier: 'starter', reservationId, charges }, now);
    await reserveCredits(em, { tenantId, tier: 'starter', reservationId, charges }, now);
  }
  for (let i = 0; i < 2; i++) {
    await closeReservations(em, [`${tenantId}/spent`], 'spend');
    await closeReservations(em, [`${tenantId}/refunded`], 'refund');
  }
  const { body: settings } = await client.get('/tenant/settings');
  assert.deepEqual([settings.current_month_credits, settings.total_credits], [7, 12]);

  const { body: limits } = await client.get('/tenant/limits');
  assert.deepEqual(limits, {
    limits: { monthly_credits: 10, api_calls_per_minute: 40 },
    usage: { monthly_credits: 7, api_calls_per_minute: 2 },
    remaining: { monthly_credits: 3, api_calls_per_minute: 38 },
  });
  const { body: again } = await client.get('/tenant/limits');
  assert.equal(again.usage.api_calls_per_minute, 3, 'the reading counts its own request, once');

  const unlimited = await logIn(orm, run);
  const { body: none } = await unlimited.client.get('/tenant/limits');
  assert.deepEqual(none, {
    limits: { monthly_credits: -1, api_calls_per_minute: -1 },
    usage: { monthly_credits: 0, api_calls_per_minute: 0 },
    remaining: { monthly_credits: -1, api_calls_per_minute: -1 },
  });
});
