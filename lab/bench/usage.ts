import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { databaseConfig } from '../../db/config.ts';
import { createOrm, type Orm } from '../../db/create-orm.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { UNLIMITED } from '../../domain/accounts/tiers.ts';
import { DAY_MS, hourOf, monthOf, type TimeRange } from '../../domain/usage/periods.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { createUsagePartitions } from '../../services/usage/partitions.ts';
import { readBreakdown } from '../../services/usage/read-breakdown.ts';
import { listUsageEvents } from '../../services/usage/read-events.ts';
import { readPlan } from '../../services/usage/read-plan.ts';
import { readRequestsOverTime, readTopEndpoints } from '../../services/usage/read-requests-over-time.ts';
import { readSummary } from '../../services/usage/read-summary.ts';
import { listFileTokens, readTokens } from '../../services/usage/read-tokens.ts';
import { requestEvent, createRequestEvents } from '../../services/usage/request-events.ts';
import { rollUpNextHour } from '../../services/usage/roll-up.ts';
import type { BenchContext } from './context.ts';
import { readCpuTimes } from './cpu-time.ts';
import { goalResult, interleave, median, milliseconds, percentile, ratios, spread } from './statistics.ts';
import { Darkroom } from '../../sdk/src/index.ts';

const FEW = 100_000;
/** Queries per account and round. */
const QUERIES_A_ROUND = 20;
const EVENTS_A_STATEMENT = 250_000;
const DAYS = 180;
const KEY = 'aaaaaaaa';
const QUERY_GOAL = { most: 2 };
const EVENT_GOAL = { most: 2 };
const LIST_REQUESTS = 300;
/** Events per write, as with 100 requests per second. */
const EVENTS_A_WRITE = 100;

/** Indexes to build after the rows are written, which is much faster. */
const INDEXES = [
  'usage_events_tenant_newest',
  'usage_events_key_newest',
  'usage_events_operation_newest',
  'usage_events_file_newest',
  'usage_events_operation_id',
];

type Query = (em: EntityManager, principal: Principal) => Promise<unknown>;

/** U1: usage analytics of a large account compared with a small one. U2: the cost of recording a request. */
export async function run({ rounds, events, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const orm = createOrm(databaseConfig.parse(stack.env), 'none');
  try {
    const recording = await costOfRecording(orm, rounds, stack.runInfo, progress);
    const [few, many] = [ownerOf(randomUUID()), ownerOf(randomUUID())];
    const rolledUp = await fill(orm, { [few.tenantId]: FEW, [many.tenantId]: events }, progress);
    const lines = [recording, rolledUp];
    for (const [name, query] of Object.entries(queriesOf(new Date()))) {
      const p95 = (principal: Principal) => async () => {
        const times: number[] = [];
        for (let i = 0; i < QUERIES_A_ROUND; i++) {
          times.push(await milliseconds(() => query(orm.em.fork(), principal)));
        }
        return percentile(times, 95);
      };
      const times = await interleave(rounds, { few: p95(few), many: p95(many) }, (turn) =>
        progress(`${name}, ${turn}`),
      );
      const ratio = ratios(times.many, times.few);
      lines.push(
        `U1 ${name}: p95 with ${events} events / with ${FEW}: ${spread(ratio, 2)}, ${goalResult(ratio, QUERY_GOAL)}; ${spread(times.many, 1)} ms and ${spread(times.few, 1)} ms`,
      );
    }
    return lines;
  } finally {
    await orm.close(true);
  }
}

function queriesOf(now: Date): Record<string, Query> {
  const to = new Date(now.getTime() + 1);
  const month = { from: monthOf(now), to };
  // Neither end falls on a full hour.
  const all = { from: new Date(now.getTime() - DAYS * DAY_MS + 1_234_567), to };
  const page = { limit: 50, offset: 0 };
  const details = (
    filter: { apiKeyId?: string; types?: ['describe'] },
    range: TimeRange,
    offset = 0,
  ): Query => {
    return (em, { tenantId }) => listUsageEvents(em, { tenantId, range, ...filter }, { limit: 50, offset });
  };
  return {
    summary: (em, principal) => readSummary(em, principal, { range: month }),
    'summary of all': (em, principal) => readSummary(em, principal, { range: all }),
    'summary of a key': (em, principal) => readSummary(em, principal, { range: all, apiKeyId: KEY }),
    details: details({}, all),
    'details, page 100': details({}, all, 5000),
    'details of a key': details({ apiKeyId: KEY }, all),
    'details of an operation': details({ types: ['describe'] }, all),
    'requests by hour': (em, { tenantId }) => readRequestsOverTime(em, { tenantId, range: month }, 'hour'),
    'requests by month': (em, { tenantId }) => readRequestsOverTime(em, { tenantId, range: all }, 'month'),
    'top endpoints': (em, { tenantId }) => readTopEndpoints(em, { tenantId, range: all }, 10),
    breakdown: (em, principal) => readBreakdown(em, principal),
    'plan of a year': (em, principal) => readPlan(em, principal, 'year'),
    'tokens of a month': (em, { tenantId }) => readTokens(em, { tenantId, range: month }),
    'tokens of files': (em, { tenantId }) => listFileTokens(em, tenantId, page),
  };
}

/** Inserts the events and rolls them up. @returns the line with the time per rolled-up hour */
async function fill(
  orm: Orm,
  accounts: Record<string, number>,
  progress: (text: string) => void,
): Promise<string> {
  const em = orm.em.fork();
  const now = new Date();
  const first = hourOf(new Date(now.getTime() - DAYS * DAY_MS));
  for (const ago of [7, 3]) await createUsagePartitions(em, monthOf(now, -ago));
  const definitions = await em.execute<{ made: string }[]>(
    `select pg_get_indexdef(name::regclass) as made from jsonb_array_elements_text(?::jsonb) as name`,
    [JSON.stringify(INDEXES)],
  );
  for (const name of INDEXES) await em.execute(`drop index ${name}`);
  for (const [tenantId, count] of Object.entries(accounts)) {
    await em.insert(Tenant, { id: tenantId, name: 'bench', tier: 'enterprise', createdAt: now });
    for (let done = 0; done < count; done += EVENTS_A_STATEMENT) {
      await em.execute(
        `insert into usage_events (occurred_at, id, tenant_id, type, subtype, endpoint, method, status, duration_ms,
           provider, model, input_tokens, output_tokens, credits, file_id, api_key_id)
         select date_trunc('milliseconds', ?::timestamptz + (?::timestamptz - ?::timestamptz) * (i / ?::float8)),
           gen_random_uuid(), ?, type, case type when 'request' then 'operation' || i % 20 end,
           case type when 'request' then '/api/v2/path' || i % 20 end, case type when 'request' then 'GET' end,
           case when type <> 'request' then null when i % 33 = 0 then 404 else 200 end, i % 700,
           case type when 'describe' then 'openai' end, case type when 'describe' then 'model' end,
           case type when 'describe' then 900 else 0 end, case type when 'describe' then 120 else 0 end,
           case type when 'describe' then 1 else 0 end, case type when 'describe' then gen_random_uuid() end,
           case when i % 100 = 0 then ? else 'bbbbbbbb' end
         from (select i, case when i % 10 = 0 then 'describe' else 'request' end as type
               from generate_series(?::bigint, ?::bigint) as i) as made`,
        [first, now, first, count, tenantId, KEY, done, Math.min(count, done + EVENTS_A_STATEMENT) - 1],
      );
      progress(`${done} events written`);
    }
    await em.execute(
      `insert into credit_hours (tenant_id, starts_at, operation, level, api_key_id, credits)
       select tenant_id, date_trunc('hour', occurred_at, 'UTC'), type, '', api_key_id, sum(credits)
       from usage_events where tenant_id = ? and type <> 'request' group by 1, 2, 3, 5`,
      [tenantId],
    );
  }
  for (const { made } of definitions) {
    progress('building indexes');
    // Without ONLY, so that the index is created on the partitions too.
    await em.execute(made.replace(' ON ONLY ', ' ON '));
  }
  await em.execute('update usage_rollup_state set rolled_up_to = ?', [first]);
  await em.execute('analyze usage_events');
  let hours = 0;
  const elapsed = await milliseconds(async () => {
    while (await rollUpNextHour(orm.em.fork())) {
      hours += 1;
      if (hours % 100 === 0) progress(`${hours} hours rolled up`);
    }
  });
  await em.execute('vacuum analyze usage_events, usage_rollups, credit_hours');
  return `U1 … rolling up an hour: ${(elapsed / hours).toFixed(1)} ms, mean of ${hours} hours`;
}

/** CPU time of recording an event, relative to that of a list request in the API. */
async function costOfRecording(
  orm: Orm,
  rounds: number,
  {
    api_url: baseUrl,
    api_key: apiKey,
    pids,
  }: { api_url: string; api_key: string; pids: Record<string, number> },
  progress: (text: string) => void,
): Promise<string> {
  const api = pids['api'];
  if (api === undefined) throw new Error('the stack has no API process');
  const tenantId = randomUUID();
  const client = new Darkroom({ baseUrl, apiKey });
  const turns = await interleave(
    rounds,
    {
      async request() {
        const before = readCpuTimes({ api })['api'] ?? NaN;
        for (let i = 0; i < LIST_REQUESTS; i++) {
          await client.api.GET('/files', { params: { query: { limit: 20 } } });
        }
        return ((readCpuTimes({ api })['api'] ?? NaN) - before) / LIST_REQUESTS;
      },
      async event() {
        const before = process.cpuUsage();
        for (let write = 0; write < 10; write++) {
          const recorder = createRequestEvents(orm, (_count, reason) => {
            throw new Error(`events were dropped: ${reason}`);
          });
          for (let i = 0; i < EVENTS_A_WRITE; i++) recorder.add(listRequest(tenantId));
          await recorder.close();
        }
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000 / (10 * EVENTS_A_WRITE);
      },
    },
    (turn) => progress(`CPU time, ${turn}`),
  );
  const share = ratios(turns.event, turns.request).map((ratio) => ratio * 100);
  return (
    `U2 CPU time of recording a request, in % of a list request: ${spread(share, 2)}, ` +
    `${goalResult(share, EVENT_GOAL)}; ${median(turns.event).toFixed(3)} ms and ${median(turns.request).toFixed(2)} ms`
  );
}

function listRequest(tenantId: string) {
  return requestEvent({
    occurredAt: new Date(),
    tenantId,
    subtype: 'listFiles',
    endpoint: '/api/v2/files',
    method: 'GET',
    status: 200,
    durationMs: 4,
    errorCode: null,
    apiKeyId: KEY,
    userId: null,
  });
}

function ownerOf(tenantId: string): Principal {
  const credential = { kind: 'api_key', keyId: KEY, scopes: null } as const;
  return {
    tenantId,
    tier: 'enterprise',
    role: 'owner',
    requestsPerMinute: UNLIMITED,
    creditsPerMonth: UNLIMITED,
    credential,
  };
}
