import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import type { UsageEvent } from '../../../db/entities/usage/usage-event.ts';
import {
  USAGE_LEVELS,
  USAGE_OPERATIONS,
  type Charge,
  type UsageEventType,
} from '../../../domain/operations.ts';
import { BUCKETS, HOUR_MS, monthOf, type TimeRange } from '../../../domain/usage/periods.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { closeReservations, reserveCredits } from '../../../services/accounts/credits.ts';
import { readCreditUsage } from '../../../services/accounts/tenants/read-limits.ts';
import { readTenantSettings } from '../../../services/accounts/tenants/tenant-settings.ts';
import { readCreditUse, totalUse } from '../../../services/usage/credit-use.ts';
import { insertUsageEvents } from '../../../services/usage/insert-usage-events.ts';
import { requestEvent } from '../../../services/usage/request-events.ts';
import { readBreakdown } from '../../../services/usage/read-breakdown.ts';
import { listUsageEvents } from '../../../services/usage/read-events.ts';
import { readRequestsOverTime, readTopEndpoints } from '../../../services/usage/read-requests-over-time.ts';
import { countEvents } from '../../../services/usage/read-summary.ts';
import { listFileTokens, readTokens } from '../../../services/usage/read-tokens.ts';
import { rollUpLateHour, rollUpNextHour } from '../../../services/usage/roll-up.ts';
import { recordOperation } from '../../../services/usage/record-operation.ts';
import { ownerOf } from '../../support/principals.ts';

/** Every figure of the usage analytics against a plain sum of the recorded operations. */
const config = readConfig([databaseConfig], process.env);
const orm = createOrm(config);
after(() => orm.close(true));
const em = () => orm.em.fork();
const NOW = new Date();
const KEYS = ['aaaaaaaa', 'bbbbbbbb'] as const;

async function newTenant(): Promise<string> {
  const id = randomUUID();
  await em().insert(Tenant, { id, name: 'usage', tier: 'enterprise', createdAt: NOW });
  return id;
}

/** Moments that are kept also when a month begins meanwhile, many at the edges of hours and months. */
const moment = fc
  .oneof(
    fc.integer({ min: monthOf(NOW, -12).getTime(), max: NOW.getTime() }),
    fc
      .tuple(fc.integer({ min: 0, max: 11 }), fc.constantFrom(-HOUR_MS, -1, 0, 1, HOUR_MS))
      .map(([months, beside]) => monthOf(NOW, -months).getTime() + beside),
    fc.integer({ min: NOW.getTime() - 3 * HOUR_MS, max: NOW.getTime() }),
  )
  .map((time) => new Date(Math.min(time, NOW.getTime())));
const key = fc.constantFrom(...KEYS, null);
const count = fc.integer({ min: 0, max: 5000 });
const request = fc.record({
  at: moment,
  key,
  status: fc.constantFrom(200, 201, 404, 500),
  durationMs: count,
  subtype: fc.constantFrom('listFiles', 'uploadBatch'),
});
const operation = fc.record({
  at: moment,
  key,
  operation: fc.constantFrom(...USAGE_OPERATIONS),
  level: fc.constantFrom(...USAGE_LEVELS, undefined),
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  ofFile: fc.boolean(),
});
const reservation = fc.record({
  at: moment,
  key,
  charges: fc.array(
    fc.record({
      operation: fc.constantFrom(...USAGE_OPERATIONS),
      level: fc.constantFrom(...USAGE_LEVELS, null),
      credits: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  end: fc.constantFrom('open', 'spend', 'refund'),
});
const range = fc.tuple(moment, moment).map(([a, b]): TimeRange => {
  const [from, to] = a < b ? [a, b] : [b, a];
  return { from, to: new Date(to.getTime() + 1) };
});
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Reservation = typeof reservation extends fc.Arbitrary<infer T> ? T : never;

function toEvent(tenantId: string, { at, key, status, durationMs, subtype }: Request): UsageEvent {
  return requestEvent({
    occurredAt: at,
    tenantId,
    subtype,
    endpoint: `/api/v2/${subtype}`,
    method: 'GET',
    status,
    durationMs,
    errorCode: status >= 400 ? 'NOT_FOUND' : null,
    apiKeyId: key,
    userId: null,
  });
}

async function record(tenantId: string, one: Operation, id: string = randomUUID()): Promise<void> {
  const { at, key, operation: name, level, ofFile, ...tokens } = one;
  const usage = { ...tokens, thinkingTokens: null, cacheCreationTokens: 0 };
  await em().transactional((tx) =>
    recordOperation(
      tx,
      {
        id,
        tenantId,
        operation: name,
        level,
        provider: 'test',
        model: 'test-1',
        usage,
        credits: 1,
        durationMs: 12.4,
        ...(ofFile && { fileId: randomUUID() }),
        ...(key && { apiKeyId: key }),
      },
      at,
    ),
  );
}

async function reserve(tenantId: string, { at, key, charges, end }: Reservation): Promise<void> {
  const reservationId = randomUUID();
  const asked = { tenantId, tier: 'enterprise', reservationId, charges, apiKeyId: key } as const;
  for (let again = 0; again < 2; again++) await em().transactional((tx) => reserveCredits(tx, asked, at));
  for (let again = 0; again < 2; again++) {
    if (end !== 'open') await em().transactional((tx) => closeReservations(tx, [reservationId], end));
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const isIn = ({ from, to }: TimeRange, at: Date) => from <= at && at < to;

test('all figures are the plain sums of the recorded operations, however many are rolled up', async () => {
  const history = fc.record({
    requests: fc.array(request, { maxLength: 15 }),
    operations: fc.array(operation, { maxLength: 15 }),
    reservations: fc.array(reservation, { maxLength: 8 }),
    rollups: fc.integer({ min: 0, max: 12 }),
    ranges: fc.array(range, { minLength: 2, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ requests, operations, reservations, rollups, ranges }) => {
      const tenantId = await newTenant();
      const events = requests.map((one) => toEvent(tenantId, one));
      // Written twice, as after a lost response.
      for (let again = 0; again < 2 && events.length > 0; again++) {
        await em().transactional((tx) => insertUsageEvents(tx, events));
      }
      for (const one of operations) {
        const id = randomUUID();
        await Promise.all([record(tenantId, one, id), record(tenantId, one, id)]);
      }
      for (const one of reservations) await reserve(tenantId, one);
      for (let done = 0; done < rollups; done++) await rollUpLateHour(em());

      const everything = { from: monthOf(NOW, -13), to: new Date(NOW.getTime() + 1) };
      for (const part of [everything, ...ranges]) {
        for (const apiKeyId of [undefined, KEYS[0]]) {
          const chosen = <T extends { at: Date; key: string | null }>(all: readonly T[]) =>
            all.filter((one) => isIn(part, one.at) && (apiKeyId === undefined || one.key === apiKeyId));
          await checkEvents(tenantId, part, apiKeyId, chosen(requests), chosen(operations));
          const kept = chosen(reservations).filter(({ end }) => end !== 'refund');
          await checkCredits(
            tenantId,
            part,
            apiKeyId,
            kept.flatMap(({ charges }) => charges),
          );
        }
      }
      await checkMonth(tenantId, reservations);
      await checkFileTokens(tenantId, operations);
    }),
    { numRuns: 8 },
  );
});

async function checkEvents(
  tenantId: string,
  part: TimeRange,
  apiKeyId: string | undefined,
  requests: Request[],
  operations: Operation[],
): Promise<void> {
  const filter = { tenantId, range: part, apiKeyId };
  const counts = await countEvents(em(), filter);
  const failed = requests.filter(({ status }) => status >= 400).length;
  assert.deepEqual([counts.requests, counts.failedRequests], [requests.length, failed]);
  const batches = requests.filter(({ subtype, status }) => subtype === 'uploadBatch' && status < 400);
  assert.equal(counts.batches, batches.length);
  const mean = requests.length > 0 ? sum(requests.map((one) => one.durationMs)) / requests.length : 0;
  assert.equal(counts.averageResponseMs, Math.round(mean));
  for (const name of USAGE_OPERATIONS) {
    const done = operations.filter((one) => one.operation === name);
    assert.equal(counts.operations[name] ?? 0, done.length, name);
    assert.equal(await countListed({ ...filter, types: [name] }), done.length);
  }
  assert.equal(await countListed({ ...filter, types: ['request'] }), requests.length);
  assert.equal(await countListed(filter), requests.length + operations.length);

  for (const bucket of BUCKETS) {
    const over = await readRequestsOverTime(em(), filter, bucket);
    assert.equal(sum(over.map((one) => one.requests)), requests.length, bucket);
  }
  if (apiKeyId !== undefined) return;
  const endpoints = await readTopEndpoints(em(), filter, 50);
  assert.equal(sum(endpoints.map((one) => one.requests)), requests.length);
  const tokens = await readTokens(em(), filter);
  for (const field of ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const) {
    assert.equal(sum(tokens.map((one) => one[field])), sum(operations.map((one) => one[field])), field);
  }
}

async function countListed(filter: {
  tenantId: string;
  range: TimeRange;
  apiKeyId: string | undefined;
  types?: UsageEventType[];
}): Promise<number> {
  const seen: string[] = [];
  for (let offset = 0; ; offset += 7) {
    const { events, totalCount } = await listUsageEvents(em(), filter, { limit: 7, offset });
    seen.push(...events.map(({ occurredAt, id }) => `${occurredAt.toISOString()}/${id}`));
    if (events.length > 0) continue;
    assert.equal(new Set(seen).size, totalCount);
    assert.deepEqual(seen, seen.toSorted().toReversed(), 'newest first');
    return totalCount;
  }
}

async function checkCredits(
  tenantId: string,
  part: TimeRange,
  apiKeyId: string | undefined,
  charges: Charge[],
): Promise<void> {
  const uses = await readCreditUse(em(), { tenantId, range: part, apiKeyId });
  assert.equal(totalUse(uses), sum(charges.map(({ credits }) => credits)));
  for (const { operation: name, level, credits } of uses) {
    const same = charges.filter((charge) => charge.operation === name && charge.level === level);
    assert.equal(credits, sum(same.map((charge) => charge.credits)), `${name} ${level}`);
  }
}

async function checkMonth(tenantId: string, reservations: Reservation[]): Promise<void> {
  const month = { from: monthOf(NOW), to: monthOf(NOW, 1) };
  const kept = reservations.filter(({ at, end }) => isIn(month, at) && end !== 'refund');
  const used = sum(kept.flatMap(({ charges }) => charges.map(({ credits }) => credits)));
  const principal = ownerOf(tenantId);
  const breakdown = await readBreakdown(em(), principal, NOW);
  const { monthCredits } = await readTenantSettings(em(), tenantId, NOW);
  const usage = await readCreditUsage(em(), principal, NOW);
  assert.deepEqual([breakdown.used, monthCredits, usage.used], [used, used, used]);
}

async function checkFileTokens(tenantId: string, operations: Operation[]): Promise<void> {
  const listed = operations.filter((one) => one.ofFile && one.inputTokens + one.outputTokens > 0);
  const page = await listFileTokens(em(), tenantId, { limit: 100, offset: 0 });
  assert.deepEqual([page.totalCount, page.files.length], [listed.length, listed.length]);
  const [input, output] = [
    sum(listed.map((one) => one.inputTokens)),
    sum(listed.map((one) => one.outputTokens)),
  ];
  assert.deepEqual([page.inputTokens, page.outputTokens], [input, output]);
  assert.equal(sum(page.files.map((file) => file.inputTokens)), input);
}

test('a killed rollup leaves nothing behind, and figures are exact before, during and after a rollup', async () => {
  const tenantId = await newTenant();
  const hours = 30;
  const first = new Date(Math.floor(NOW.getTime() / HOUR_MS - hours) * HOUR_MS);
  const requests = Array.from({ length: 3 * hours }, (_, at) =>
    toEvent(tenantId, {
      at: new Date(first.getTime() + (at * HOUR_MS) / 3),
      key: null,
      status: 200,
      durationMs: 1,
      subtype: 'listFiles',
    }),
  );
  // As if nothing had been rolled up since then.
  await em().execute('update usage_rollup_state set rolled_up_to = least(rolled_up_to, ?::timestamptz)', [
    first,
  ]);
  await em().transactional((tx) => insertUsageEvents(tx, requests));
  const all = { tenantId, range: { from: first, to: new Date(NOW.getTime() + HOUR_MS) } };
  const check = async () => assert.equal((await countEvents(em(), all)).requests, requests.length);
  await check();

  // Its connection is killed while it waits for a writer of its hour.
  const [state] = await em().execute<{ rolled_up_to: Date }[]>('select rolled_up_to from usage_rollup_state');
  const hour = new Date(state?.rolled_up_to ?? 0);
  const late = toEvent(tenantId, {
    at: hour,
    key: null,
    status: 200,
    durationMs: 1,
    subtype: 'listFiles',
  });
  const writer = em();
  await writer.begin();
  await insertUsageEvents(writer, [late]);
  const killed = createOrm(config);
  const rollup = assert.rejects(rollUpNextHour(killed.em.fork()));
  for (let ended = 0; ended === 0;) {
    const rows: unknown[] = await em().execute(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and not granted and classid = 1970001 and mode = 'ExclusiveLock'`,
    );
    ended = rows.length;
  }
  await rollup;
  await killed.close(true);
  await writer.commit();
  requests.push(late);
  await check();

  for (let rolledUp = true; rolledUp;) {
    // As after a crash before the commit.
    await assert.rejects(
      em().transactional(async (tx) => {
        await rollUpNextHour(tx);
        throw new Error('killed');
      }),
      /killed/,
    );
    await check();
    rolledUp = await rollUpNextHour(em());
    await check();
  }
  const [done] = await em().execute<{ hours: number; days: number }[]>(
    `select count(*) filter (where grain = 'hour')::int as hours, count(*) filter (where grain = 'day')::int as days
     from usage_rollups where tenant_id = ?`,
    [tenantId],
  );
  assert.ok(done && done.hours >= hours - 1 && done.days >= 1, JSON.stringify(done));
});
