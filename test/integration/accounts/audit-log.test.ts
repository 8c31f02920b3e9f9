import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { AuditEvent } from '../../../db/entities/accounts/audit-event.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import {
  auditCountSql,
  auditPageSql,
  type AuditLogFilter,
} from '../../../services/audit-log/read-audit-log.ts';
import { removeOldAuditEvents } from '../../../services/audit-log/record-audit-event.ts';
import { createClient, eventually, sharedRun, type Json } from '../../support/api.ts';
import { logIn, type LoggedIn } from '../../support/login.ts';
import { planNodes } from '../../support/query-plan.ts';

/** The audit log of a tenant among 20,000 entries of three. */
const run = sharedRun();
let orm: Orm;
let owner: LoggedIn;
const userId = randomUUID();

before(async () => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  owner = await logIn(orm, run);
  await seedEvents((await logIn(orm, run)).tenantId, 4000);
  await seedEvents(owner.tenantId, 12_000);
  await seedEvents((await logIn(orm, run)).tenantId, 4000);
  await orm.em.fork().execute('vacuum analyze audit_events');
});
after(() => orm.close(true));

/** One entry a minute since 2026; one of 50 is a failure, one of 500 is of the user, one of 1,000 is critical. */
async function seedEvents(tenantId: string, entries: number): Promise<void> {
  await orm.em.fork().execute(
    `insert into audit_events (id, tenant_id, event_type, occurred_at, severity, user_id, action, result, metadata)
     select gen_random_uuid(), ?, case when n % 1000 = 1 then 'user.deleted' else 'auth.login' end,
       timestamptz '2026-01-01' + n * interval '1 minute',
       case when n % 1000 = 1 then 'critical' when n % 50 = 2 then 'warning' else 'info' end,
       case when n % 500 = 3 then ?::uuid else gen_random_uuid() end,
       'login', case when n % 50 = 2 then 'failure' else 'success' end, '{}'
     from generate_series(1, ${entries}) as n`,
    [tenantId, userId],
  );
}

const FILTERS: Record<string, AuditLogFilter> = {
  none: {},
  'an event type': { eventType: 'user.deleted' },
  'an event type without entries': { eventType: 'auth.register' },
  'a severity': { severity: 'critical' },
  'a user': { userId },
  'a result': { result: 'failure' },
  'a day': { from: new Date('2026-01-03'), to: new Date('2026-01-04') },
  'a user on a day': { userId, from: new Date('2026-01-03'), to: new Date('2026-01-04') },
  all: { eventType: 'auth.login', severity: 'info', userId, result: 'success', from: new Date('2026-01-02') },
};

test('no page and no count of the audit log needs a full table scan or a sort', async () => {
  const { tenantId } = owner;
  for (const [name, filter] of Object.entries(FILTERS)) {
    for (const statement of [
      auditPageSql(tenantId, filter, { limit: 50, offset: 0 }),
      auditCountSql(tenantId, filter),
    ]) {
      const nodes = await planNodes(orm, statement, 'audit_events');
      assert.ok(nodes.scans.length > 0, name);
      assert.ok(!nodes.scans.includes('Seq Scan'), `${name}: ${nodes.scans.join(', ')}`);
    }
  }
  const page = await planNodes(orm, auditPageSql(tenantId, {}, { limit: 50, offset: 0 }), 'audit_events');
  assert.ok(!page.all.includes('Sort'), page.all.join(', '));
});

test('filters and pages work, and totals are counted up to 10,000', async () => {
  const list = async (query: string): Promise<Json> => {
    const { status, body } = await owner.client.get(`/tenant/audit-logs?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const all = await list('');
  assert.deepEqual(
    [all.items.length, all.limit, all.offset, all.total_count, all.has_more],
    [50, 50, 0, 10_000, true],
  );
  assert.deepEqual(
    all.items.map((event: Json) => event.event_timestamp),
    all.items
      .map((event: Json) => event.event_timestamp)
      .toSorted()
      .toReversed(),
  );
  assert.equal((await list('event_type=user.deleted')).total_count, 12);
  assert.equal((await list('severity=critical')).total_count, 12);
  assert.equal((await list('result=failure')).total_count, 240);
  assert.equal((await list(`user_id=${userId.toUpperCase()}`)).total_count, 24);
  assert.equal((await list('date_from=2026-01-03&date_to=2026-01-03')).total_count, 1440);
  assert.equal((await list(`user_id=${userId}&result=failure`)).total_count, 0);

  const first = await list('event_type=user.deleted&limit=8');
  const second = await list('event_type=user.deleted&limit=8&offset=8');
  assert.deepEqual([first.has_more, second.has_more, second.items.length], [true, false, 4]);
  assert.equal(new Set([...first.items, ...second.items].map(({ id }) => id)).size, 12);

  for (const query of [
    'event_type=auth.dance',
    'severity=high',
    'result=maybe',
    'user_id=me',
    'date_from=soon',
    'limit=101',
    'limit=0',
    'offset=-1',
  ]) {
    const { status, body } = await owner.client.get(`/tenant/audit-logs?${query}`);
    assert.deepEqual([status, body.errors?.[0]?.pointer], [422, `/query/${query.split('=')[0]}`]);
  }
});

test('an entry is read by its id, and foreign entries look absent', async () => {
  const { body } = await owner.client.get('/tenant/audit-logs?limit=1&severity=critical');
  const [entry] = body.items;
  const path = `/tenant/audit-logs/${entry.id}`;
  assert.deepEqual((await owner.client.get(path)).body, entry);
  assert.deepEqual(
    (await owner.client.get(path.toUpperCase().replace('/TENANT/AUDIT-LOGS', '/tenant/audit-logs'))).body,
    entry,
  );
  const stranger = await logIn(orm, run);
  for (const [client, asked] of [
    [stranger.client, path],
    [owner.client, `/tenant/audit-logs/${randomUUID()}`],
    [owner.client, '/tenant/audit-logs/last'],
  ] as const) {
    const answer = await client.get(asked);
    assert.deepEqual([answer.status, answer.body.code], [404, 'NOT_FOUND']);
  }
});

test('at most ten refused requests a minute are recorded', async () => {
  const { client, tenantId } = await logIn(orm, run);
  const { body: key } = await client.post('/api-keys', { name: 'x', scopes: ['usage.read'] });
  const withKey = createClient(run, key.key);
  for (let i = 0; i < 12; i++) assert.equal((await withKey.get('/files')).status, 403);
  const log = await eventually(async () => {
    const { body } = await client.get('/tenant/audit-logs?event_type=access.denied');
    assert.equal(body.total_count, 10);
    return body;
  });
  const { id, event_timestamp: at, ip_address: address, ...entry } = log.items[0];
  assert.ok(id && at && address);
  assert.deepEqual(entry, {
    event_type: 'access.denied',
    severity: 'warning',
    user_id: null,
    api_key_id: key.id,
    actor_name: 'x',
    actor_email: null,
    action: 'denied',
    result: 'failure',
    resource_type: null,
    resource_id: null,
    resource_name: null,
    error_message: 'the API key lacks the scope files.read',
    metadata: { operation: 'listFiles', action: 'files.read', code: 'FORBIDDEN' },
  });
  assert.equal(await orm.em.fork().count(AuditEvent, { tenantId, eventType: 'access.denied' }), 10);
});

test('entries are removed after thirteen months, in batches', async () => {
  const { tenantId } = await logIn(orm, run);
  const em = orm.em.fork();
  await em.execute(
    `insert into audit_events (id, tenant_id, event_type, occurred_at, severity, action, result, metadata)
     select gen_random_uuid(), ?, 'auth.login', now() - make_interval(months => 13, days => case when n > 2 then 1 else -1 end),
       'info', 'login', 'success', '{}' from generate_series(1, 5003) as n`,
    [tenantId],
  );
  const first = await removeOldAuditEvents(em);
  assert.deepEqual(first, { removed: 5000, more: true });
  const second = await removeOldAuditEvents(em);
  assert.ok(second.removed >= 1 && !second.more);
  assert.equal(await em.count(AuditEvent, { tenantId }), 2);
});

test('a key follows the audit log of its own tenant from a cursor, without gaps or repeats', async () => {
  const follower = await logIn(orm, run);
  const { tenantId } = follower;
  await seedEvents(tenantId, 2500);
  const created = await follower.client.post('/api-keys', { name: 'siem', scopes: ['audit.read'] });
  const client = createClient({ ...run, api_key: created.body.key });
  const seen: string[] = [];
  let after: string | undefined;
  for (let more = true; more;) {
    const { status, body } = await client.get(`/audit-events?limit=1000${after ? `&after=${after}` : ''}`);
    assert.equal(status, 200, JSON.stringify(body));
    seen.push(...body.items.map(({ id }: Json) => id));
    ({ next: after, has_more: more } = body);
  }
  const stored = await orm.em
    .fork()
    .find(
      AuditEvent,
      { tenantId, occurredAt: { $lt: new Date('2026-03-01') } },
      { orderBy: { occurredAt: 'asc' } },
    );
  assert.deepEqual(
    seen.slice(0, 2500),
    stored.map(({ id }) => id),
  );
  // Its own login and key are there too, once they are ten seconds old.
  await eventually(async () => {
    const { body } = await client.get(`/audit-events?after=${after ?? ''}`);
    assert.ok(body.items.some(({ event_type: type }: Json) => type === 'api_key.created'));
  });
  const { body: nothing } = await client.get(`/audit-events?after=9999999999999_${randomUUID()}`);
  assert.deepEqual([nothing.items, nothing.has_more], [[], false]);
  for (const bad of ['x', '1_2', `1_${'-'.repeat(36)}`]) {
    assert.equal((await client.get(`/audit-events?after=${bad}`)).status, 422, bad);
  }
  assert.equal((await client.get('/files')).status, 403);
});

test('an entry has the present names of who did it and of what, as long as they are there', async () => {
  const { client, tenantId, email, userId: id } = await logIn(orm, run);
  await client.post('/api-keys', { name: 'Nightly import' });
  const read = async (type: string): Promise<Json> =>
    (await client.get(`/tenant/audit-logs?event_type=${type}`)).body.items[0];
  const created = await read('api_key.created');
  assert.deepEqual(
    [created.user_id, created.actor_email, created.resource_name],
    [id, email, 'Nightly import'],
  );
  assert.ok(created.actor_name);
  // Somebody who has left is named no more.
  await orm.em.fork().execute(
    `insert into audit_events (id, tenant_id, event_type, occurred_at, severity, user_id, action, result, metadata,
       resource_type, resource_id)
     values (gen_random_uuid(), ?, 'user.deleted', now(), 'critical', ?, 'deleted', 'success', '{}', 'user', 'no-id')`,
    [tenantId, owner.userId],
  );
  const foreign = await read('user.deleted');
  assert.deepEqual([foreign.actor_name, foreign.actor_email, foreign.resource_name], [null, null, null]);
});
