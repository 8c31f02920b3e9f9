import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import type { UsageEvent } from '../../../db/entities/usage/usage-event.ts';
import { UsageThreshold } from '../../../db/entities/accounts/usage-threshold.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { DAY_MS, HOUR_MS, monthOf, type TimeRange } from '../../../domain/usage/periods.ts';
import { splitRange } from '../../../domain/usage/split-range.ts';
import { generateApiKey } from '../../../services/accounts/api-key.ts';
import { closeReservations, reserveCredits } from '../../../services/accounts/credits.ts';
import { creditUseSql } from '../../../services/usage/credit-use.ts';
import { createUsagePartitions, dropOldUsage } from '../../../services/usage/partitions.ts';
import { recentOperationsSql } from '../../../services/usage/read-breakdown.ts';
import { eventPageSql } from '../../../services/usage/read-events.ts';
import { BATCH_REQUESTS } from '../../../services/usage/read-summary.ts';
import { fileTokensSql } from '../../../services/usage/read-tokens.ts';
import { requestEvent, createRequestEvents } from '../../../services/usage/request-events.ts';
import { rollUpLateHour } from '../../../services/usage/roll-up.ts';
import { usageRowsSql } from '../../../services/usage/usage-rows.ts';
import { sql } from '../../../services/shared/sql.ts';
import { createClient, eventually, sharedRun, type Json } from '../../support/api.ts';
import { manual } from '../../support/documents.ts';
import { logIn } from '../../support/login.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { images, uniqueImage } from '../../support/images.ts';
import { planNodes } from '../../support/query-plan.ts';

/** The operations of section N of the contract, and the records behind their figures. */
const run = sharedRun();
const config = readConfig([databaseConfig], process.env);
const orm = createOrm(config);
after(() => orm.close(true));
const em = () => orm.em.fork();

async function recorded(tenantId: string, requests: number): Promise<void> {
  await eventually(async () => {
    const [row] = await em().execute<{ count: number }[]>(
      `select count(*)::int as count from usage_events where tenant_id = ? and type = 'request'`,
      [tenantId],
    );
    assert.equal(row?.count, requests);
  });
}

test('the figures of all ten operations agree with the requests and work of a tenant', async () => {
  const { tenantId, client } = await createOwnTenant(orm, run);
  const spare = generateApiKey();
  const createdAt = new Date();
  const { id, hash: keyHash } = spare;
  await em().insert(ApiKey, { id, tenantId, name: 'spare', keyHash, role: 'owner', createdAt });
  const other = createClient(run, spare.key);
  let requests = 0;
  const get = async (path: string, from = client): Promise<Json> => {
    requests += 1;
    const { status, body } = await from.get(path);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };

  // Files settle by polling, so requests are counted from here on only.
  const single = await client.ingest({ bytes: await uniqueImage(), filename: 'single.jpg' });
  const byOther = await other.ingest({ bytes: await uniqueImage(), filename: 'other.jpg' });
  const document = await client.ingest({ bytes: manual, filename: 'manual.md' });
  const { body: batch } = await client.batch(await images(2));
  await client.sessionEnded(batch.session_id);
  for (const id of [single, byOther, document]) await client.settled(id);
  await em().execute(`delete from usage_events where tenant_id = ? and type = 'request'`, [tenantId]);
  await eventually(async () => assert.equal((await client.get('/files/none')).status, 404));
  await client.request('GET', '/files', { headers: { Authorization: 'Bearer drk_wrong' } });
  await get('/files', other);
  await eventually(async () => {
    const rows: unknown[] = await em().execute(
      `select from usage_events where tenant_id = ? and (error_code = 'NOT_FOUND' or api_key_id = ? and type = 'request')`,
      [tenantId, spare.id],
    );
    assert.ok(rows.length > 1);
  });

  const details = await get('/usage/details?operation_type=describe');
  assert.deepEqual(
    details.events.map((event: Json) => [
      event.operation_type,
      event.provider,
      event.status_code,
      event.endpoint,
    ]),
    Array.from({ length: 3 }, () => ['describe', 'local', null, null]),
    'two single images and the document',
  );
  assert.equal((await get('/usage/details?operation_type=batch_describe')).pagination.total_count, 2);
  const [digitized] = (await get('/usage/details?operation_type=digitize')).events;
  assert.deepEqual([digitized.operation_type, digitized.model], ['digitize', 'reader-v1']);
  assert.deepEqual((await get('/usage/details?operation_type=verify')).events, []);
  const ofOther = await get(`/usage/details?api_key_id=${spare.id}`);
  assert.deepEqual(
    ofOther.events.map((event: Json) => event.operation_type).toSorted(),
    ['describe', 'request'],
    'the work belongs to the key that uploaded',
  );
  const [listed] = ofOther.events.filter((event: Json) => event.operation_type === 'request');
  assert.deepEqual(
    [listed.operation_subtype, listed.endpoint, listed.method, listed.status_code, listed.error_code],
    ['listFiles', '/api/v2/files', 'GET', 200, null],
  );

  const summary = await get('/usage/summary');
  assert.deepEqual(
    [summary.usage.verify_count, summary.usage.describe_count, summary.usage.batch_count],
    [0, 4, 2],
  );
  const { analyze_count: analyzed, extract_count: extracted, digitize_count: read } = summary.usage;
  assert.deepEqual([analyzed, extracted, read], [0, 0, 1]);
  assert.ok(summary.usage.failed_requests >= 1);
  const { total_requests: total, successful_requests: good, failed_requests: bad } = summary.usage;
  assert.equal(total, good + bad);
  const ofKey = await get(`/usage/summary?api_key_id=${spare.id}`);
  assert.deepEqual([ofKey.usage.describe_count, ofKey.total_credits, ofKey.usage.total_requests], [1, 1, 1]);

  const breakdown = await get('/usage/breakdown');
  const credits = breakdown.total_credits_used;
  assert.equal(credits, 2 + 2 + 2, 'two images, two of a batch, a document of one page');
  const sumOf = (counts: Json): number => Object.values<number>(counts).reduce((sum, one) => sum + one, 0);
  assert.deepEqual(
    [sumOf(breakdown.by_operation_type), sumOf(breakdown.by_verification_level)],
    [credits, credits],
  );
  assert.deepEqual(
    [breakdown.by_operation_type.digitize, breakdown.by_operation_type.batch_describe],
    [1, 2],
  );
  assert.equal(breakdown.recent_operations.length, 6);
  const owner = await logIn(orm, run, { tenantId });
  const { body: limits } = await owner.client.get('/tenant/limits');
  const { body: settings } = await owner.client.get('/tenant/settings');
  const quota = await get('/files/quota-check?file_count=1');
  requests += 1;
  const { body: check } = await client.post('/usage/check', { item_count: 3 });
  const plan = await get('/usage/plan?period=year&include_projections=false');
  assert.deepEqual(
    [
      summary.total_credits,
      summary.limits.used_this_month,
      limits.usage.monthly_credits,
      settings.current_month_credits,
      quota.current_usage,
      check.current_usage,
      plan.plan_details.requests_used,
    ],
    Array.from({ length: 7 }, () => credits),
  );
  assert.deepEqual([check.can_proceed, check.required_credits, check.message], [true, 6, null]);
  assert.equal(plan.projections, null);
  const { projections, current_usage: made } = await get('/usage/plan');
  assert.ok(projections.projected_monthly_requests >= made.total_requests, JSON.stringify(projections));
  assert.deepEqual([plan.current_usage.by_service.describe, plan.current_usage.by_service.chat], [3, 0]);

  const over = await get('/usage/by-period?period_type=month');
  assert.ok(over.data.at(-1).value > 0 && over.data.length === new Date().getUTCMonth() + 1);
  const { endpoints } = await get('/usage/top-endpoints?limit=50');
  assert.ok(endpoints.some((one: Json) => one.endpoint === 'GET /api/v2/files/{file_id}'));
  const tokens = await get('/usage/tokens/monthly');
  assert.deepEqual(
    [tokens.describe_operations, tokens.digitize_operations, tokens.total_tokens, tokens.chat_messages],
    [5, 1, 0, 0],
  );
  const none = await get('/usage/tokens/monthly?year=2020&month=2');
  assert.deepEqual([none.year, none.month, none.describe_operations], [2020, 2, 0]);
  assert.deepEqual((await get('/usage/tokens/files')).files, [], 'the local model uses no tokens');
  assert.equal((await get('/usage/tokens/conversations')).total_count, 0);
});

test('an extraction that finds nothing is counted, without a charge', async () => {
  const { client } = await createOwnTenant(orm, run);
  const { status, body } = await client.post('/extract', {
    image_base64: (await uniqueImage()).toString('base64'),
    schema: { type: 'object', properties: { vat_id: { type: 'string' } }, required: ['vat_id'] },
  });
  assert.deepEqual([status, body.extracted_data], [200, { vat_id: null }], JSON.stringify(body));
  const { events } = (await client.get('/usage/details?operation_type=extract')).body;
  assert.deepEqual(
    events.map((event: Json) => event.error_code),
    [null],
  );
  assert.equal((await client.get('/usage/summary')).body.total_credits, 0);
  assert.equal((await client.get('/files/quota-check?file_count=1')).body.current_usage, 0);
});

test('requests are recorded once, and those of other tenants are not visible', async () => {
  const { tenantId, client } = await createOwnTenant(orm, run);
  const stranger = await createOwnTenant(orm, run);
  for (let i = 0; i < 5; i++) await client.get('/files');
  await client.get(`/files/${randomUUID()}`);
  await recorded(tenantId, 6);
  const { body: mine } = await client.get('/usage/details');
  assert.equal(mine.pagination.total_count, 6);
  assert.equal(mine.events[0].error_code, 'NOT_FOUND');
  const keyId = mine.events[0].api_key_id;
  for (const path of ['/usage/details', '/usage/summary', '/usage/by-period']) {
    const foreign = await stranger.client.get(`${path}?api_key_id=${keyId}`);
    const unknown = await stranger.client.get(`${path}?api_key_id=00000000`);
    const figures = ({ body }: Json) => [body.events, body.usage, body.data?.map((one: Json) => one.value)];
    assert.deepEqual(figures(foreign), figures(unknown), path);
  }
});

test('invalid requests are refused, and the limits of the contract hold', async () => {
  const { client } = await createOwnTenant(orm, run);
  for (const path of [
    '/usage/summary?start_date=2026-03-02&end_date=2026-03-01',
    '/usage/summary?start_date=2999-01-01',
    '/usage/summary?period=year',
    '/usage/details?page=0',
    '/usage/details?page_size=101',
    '/usage/details?api_key_id=short',
    '/usage/details?operation_type=dance',
    '/usage/by-period?period_type=minute',
    '/usage/top-endpoints?limit=51',
    '/usage/plan?period=week',
    '/usage/tokens/monthly?month=13',
    '/usage/tokens/files?limit=0',
  ]) {
    assert.equal((await client.get(path)).status, 422, path);
  }
  assert.equal((await client.post('/usage/check', { item_count: 0 })).status, 422);
  for (const path of [
    '/usage/summary?start_date=0001-01-01&end_date=9999-12-31',
    '/usage/by-period?period_type=hour&start_date=0001-01-01&end_date=9999-12-31',
    '/usage/tokens/monthly?year=9999&month=12',
    '/usage/details?page=10000000&page_size=100',
  ]) {
    assert.equal((await client.get(path)).status, 200, path);
  }
  const statuses = await Promise.all(
    Array.from({ length: 31 }, async () => (await client.get('/usage/breakdown')).status),
  );
  assert.deepEqual(statuses.filter((status) => status === 429).length, 1);
  const { body: shortfall } = await client.post('/usage/check', {
    verification_level: null,
    item_count: null,
  });
  assert.equal(shortfall.required_credits, 2);
});

test('a threshold is recorded once a month, despite refunds', async () => {
  const tenantId = randomUUID();
  const limited = { tier: 'starter', maxMonthlyCredits: 10 } as const;
  await em().insert(Tenant, { id: tenantId, name: 'test', ...limited, createdAt: new Date() });
  const reserve = (id: string, credits: number, now?: Date) =>
    em().transactional((tx) =>
      reserveCredits(
        tx,
        {
          tenantId,
          tier: 'starter',
          reservationId: `${tenantId}/${id}`,
          charges: [{ operation: 'describe', level: null, credits }],
        },
        now,
      ),
    );
  const reached = async () =>
    (await em().find(UsageThreshold, { tenantId }, { orderBy: { month: 'asc', threshold: 'asc' } })).map(
      ({ threshold, used }) => [threshold, used],
    );
  await reserve('a', 7);
  assert.deepEqual(await reached(), []);
  await reserve('b', 1);
  assert.deepEqual(await reached(), [[80, 8]]);
  await closeReservations(em(), [`${tenantId}/b`], 'refund');
  await Promise.all([reserve('c', 1), reserve('d', 2)]);
  assert.deepEqual(await reached(), [
    [80, 8],
    [100, 10],
  ]);
  await assert.rejects(reserve('e', 1), { code: 'QUOTA_EXHAUSTED' });
  await reserve('f', 10, monthOf(new Date(), 1));
  assert.equal((await reached()).length, 4, 'the next month has its own thresholds');
});

test('partitions are created ahead, earlier events move into them, and old ones are dropped', async () => {
  const tenantId = randomUUID();
  const future = new Date(Date.UTC(2049, 10, 30, 23, 59));
  const at = (moment: Date): UsageEvent => ({ ...requestOf(tenantId), occurredAt: moment });
  await em().execute(
    `insert into usage_events (occurred_at, id, tenant_id, type, duration_ms) values (?, ?, ?, 'request', 1)`,
    [at(future).occurredAt, randomUUID(), tenantId],
  );
  const partitionOf = async () => {
    const rows = await em().execute<{ name: string }[]>(
      'select tableoid::regclass::text as name from usage_events where tenant_id = ?',
      [tenantId],
    );
    return rows.map(({ name }) => name);
  };
  assert.deepEqual(await partitionOf(), ['usage_events_default']);
  const made = await Promise.all([createUsagePartitions(em(), future), createUsagePartitions(em(), future)]);
  assert.deepEqual(made.flat().toSorted(), [
    'usage_events_2049_11',
    'usage_events_2049_12',
    'usage_events_2050_01',
    'usage_events_2050_02',
  ]);
  assert.deepEqual(await partitionOf(), ['usage_events_2049_11']);

  await createUsagePartitions(em(), new Date('2001-02-03'));
  const dropped = await dropOldUsage(em());
  assert.deepEqual(dropped.toSorted(), [
    'usage_events_2001_02',
    'usage_events_2001_03',
    'usage_events_2001_04',
    'usage_events_2001_05',
  ]);
  assert.deepEqual(await partitionOf(), ['usage_events_2049_11']);
  for (const name of made.flat()) await em().execute(`drop table "${name}"`);
});

function requestOf(tenantId: string): UsageEvent {
  return requestEvent({
    occurredAt: new Date(),
    tenantId,
    subtype: 'listFiles',
    endpoint: '/api/v2/files',
    method: 'GET',
    status: 200,
    durationMs: 3,
    errorCode: null,
    apiKeyId: null,
    userId: null,
  });
}

test('events that cannot be written are dropped and counted, and adding one never waits', async () => {
  const tenantId = randomUUID();
  const drops: [number, string][] = [];
  const away = createOrm({ DATABASE_URL: 'postgresql://x:y@127.0.0.1:1/z', DATABASE_POOL_SIZE: 1 });
  const lost = createRequestEvents(away, (count, reason) => drops.push([count, reason]));
  for (let i = 0; i < 20_003; i++) lost.add(requestOf(tenantId));
  assert.deepEqual(
    drops,
    Array.from({ length: 3 }, () => [1, 'full']),
  );
  await lost.close();
  await away.close(true);
  const byReason = Object.groupBy(drops, ([, reason]) => reason);
  const sums = Object.entries(byReason).map(([reason, all = []]) => [
    reason,
    all.reduce((sum, [count]) => sum + count, 0),
  ]);
  assert.deepEqual(sums, [
    ['full', 3],
    ['database', 20_000],
  ]);

  const kept = createRequestEvents(orm, () => assert.fail('nothing is dropped'));
  for (let i = 0; i < 7; i++) kept.add(requestOf(tenantId));
  await kept.close();
  await recorded(tenantId, 7);
});

test('no statement of the usage analytics scans a whole table', async () => {
  const now = new Date();
  const tenants = Array.from({ length: 3 }, () => randomUUID());
  await createUsagePartitions(em(), monthOf(now, -1));
  for (const tenantId of tenants) {
    await em().insert(Tenant, { id: tenantId, name: 'plans', tier: 'enterprise', createdAt: now });
    await em().execute(
      `insert into usage_events (occurred_at, id, tenant_id, type, subtype, endpoint, method, status, duration_ms,
         input_tokens, file_id, api_key_id, reservation_id)
       select ?::timestamptz - i * interval '10 seconds', gen_random_uuid(), ?,
         case when i % 20 = 0 then 'describe' else 'request' end, 'x' || i % 7, '/x', 'GET', 200, 1, i % 20,
         case when i % 20 = 0 then gen_random_uuid() end, case when i % 50 = 0 then 'aaaaaaaa' else 'bbbbbbbb' end, i::text
       from generate_series(1, 20000) as i`,
      [now, tenantId],
    );
    await em().execute(
      `insert into credit_entries (reservation_id, closes, kind, tenant_id, amount, month, charges, created_at)
       select ? || i, false, 'reserve', ?, 1, '2026-01-01',
         '[{"operation": "describe", "level": null, "credits": 1}]', ?::timestamptz - i * interval '3 minutes'
       from generate_series(1, 5000) as i`,
      [tenantId, tenantId, now],
    );
    await em().execute(
      `insert into credit_hours select ?, date_trunc('hour', ?::timestamptz - i * interval '1 hour'), 'describe', '', '', 1
       from generate_series(1, 3000) as i`,
      [tenantId, now],
    );
  }
  await em().execute(
    `insert into late_usage_hours select distinct date_trunc('hour', occurred_at, 'UTC') from usage_events, usage_rollup_state
     where tenant_id = ? and occurred_at < rolled_up_to on conflict do nothing`,
    [tenants[0]],
  );
  while (await rollUpLateHour(em()));
  await em().execute('analyze usage_events, usage_rollups, credit_entries, credit_hours, files');

  const [tenantId = ''] = tenants;
  const range: TimeRange = { from: new Date(now.getTime() - 2 * DAY_MS - 1), to: now };
  const state = {
    rolledUpTo: new Date(now.getTime() - HOUR_MS),
    lateHours: [new Date(now.getTime() - DAY_MS)],
  };
  const parts = splitRange(range, { ...state, lateHours: state.lateHours.map((at) => floorHour(at)) });
  const page = { limit: 50, offset: 0 };
  const statements = {
    figures: sql`select sum(events) from (${usageRowsSql({ tenantId, range }, parts)}) as used`,
    'figures of a key': sql`select sum(events) from (${usageRowsSql({ tenantId, range, apiKeyId: 'aaaaaaaa' }, parts)}) as used`,
    details: eventPageSql({ tenantId, range }, page),
    'details of a key': eventPageSql({ tenantId, range, apiKeyId: 'aaaaaaaa' }, page),
    'details of an operation': eventPageSql({ tenantId, range, types: ['describe'] }, page),
    credits: creditUseSql({ tenantId, range }),
    'tokens of files': fileTokensSql(tenantId, page),
    'recent operations': recentOperationsSql(tenantId),
  };
  const months = [0, 1].map(
    (ago) => `usage_events_${monthOf(now, -ago).toISOString().slice(0, 7).replace('-', '_')}`,
  );
  for (const [name, statement] of Object.entries(statements)) {
    for (const table of [...months, 'usage_rollups', 'credit_entries', 'credit_hours']) {
      const { scans } = await planNodes(orm, statement, table);
      assert.ok(!scans.includes('Seq Scan'), `${name} scans ${table}`);
    }
  }
  for (const name of ['details', 'details of a key', 'details of an operation'] as const) {
    const { all } = await planNodes(orm, statements[name], months[0] ?? '', { inOrder: true });
    assert.ok(!all.includes('Sort'), `${name}: ${all.join(', ')}`);
  }
});

const floorHour = (at: Date) => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);

test('the requests that are counted as batches are operations of the API', async () => {
  const document: Json = await fetch(`${run.api_url}/openapi.json`).then((response) => response.json());
  const ids = Object.values<Json>(document.paths).flatMap((methods) =>
    Object.values<Json>(methods).map(({ operationId }) => operationId as string),
  );
  for (const id of BATCH_REQUESTS) assert.ok(ids.includes(id), id);
});
