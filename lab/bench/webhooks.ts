import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DeadlockException } from '@mikro-orm/core';
import { Webhook } from 'standardwebhooks';
import { databaseConfig } from '../../db/config.ts';
import { createOrm, type Orm } from '../../db/create-orm.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { resolveApiKey } from '../../services/accounts/api-key.ts';
import { Darkroom } from '../../sdk/src/index.ts';
import { startWebhookReceiver } from '../shared/webhook-receiver.ts';
import { stopWorkers, WORKERS } from './bench-stack.ts';
import { packageVersion, type BenchContext } from './context.ts';
import { readCpuTimes, usedBetween, type CpuTimes } from './cpu-time.ts';
import { goalResult, interleave, median, milliseconds, percentile, ratios, spread } from './statistics.ts';
import { chunked, createUploadClient, paddedPhotograph } from './upload-client.ts';

const EVENTS = 500;
/** The number of requests that the service sends to one receiver concurrently. */
const AT_ONCE = 20;
/** Latencies of the receiver: none, and one typical of the internet. */
const ANSWERS_AFTER_MS = [0, 100];
const GOAL = { least: 0.5 };

const WAITING = 100_000;
/** Limited because statements have a timeout. */
const WRITTEN_AT_ONCE = 5_000;
const UPLOADS = 50;
const UPLOAD_BYTES = 64 * 1024;
const UPLOAD_GOAL = { most: 1.1 };

const POLL_MS = 10;
const WITHIN_MS = 300_000;

/**
 * H1: delivery of events by the worker processes of the stack, from the commit of the events until all are recorded
 * as delivered. Compared with a plain loop of signed requests with the same concurrency in this process, which
 * records nothing, and with a loop that records each delivery in Postgres. Also reports the CPU time per event of all
 * processes.
 *
 * H2: sequential uploads while 100,000 events wait for a receiver that never responds, compared with no waiting events.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const orm = createOrm(readConfig([databaseConfig], stack.env));
  const receiver = await startWebhookReceiver();
  for (const name of WORKERS) await stack.start(name);
  try {
    const { tenantId } = await resolveApiKey(orm.em.fork(), stack.runInfo.api_key);
    const events = createEvents(orm, tenantId);
    const secret = await subscribe(stack, receiver.url);
    const lines: string[] = [];
    for (const answerMs of ANSWERS_AFTER_MS) {
      receiver.answerAfter(answerMs);
      const cost = (work: () => Promise<unknown>) => () => costOf(stack, work);
      const loop = (record: (id: string) => Promise<unknown>) => () =>
        sendInLoop(receiver.url, secret, record);
      const turns = await interleave(
        rounds,
        {
          ours: cost(async () => {
            await events.write(EVENTS);
            await events.delivered();
          }),
          loop: cost(loop(async () => undefined)),
          recording: cost(loop((id) => events.record(id))),
        },
        (turn) => progress(`answers after ${answerMs} ms, ${turn}`),
      );
      lines.push(...reportDeliveries(answerMs, turns));
    }
    receiver.answerAfter(Infinity);
    lines.push(...(await measureUploads({ stack, events, rounds, progress })));
    return lines;
  } finally {
    await stopWorkers(stack);
    await receiver.stop();
    await orm.close(true);
  }
}

interface Cost {
  /** Events per second. */
  rate: number;
  /** CPU milliseconds per event, by process. */
  cpu: CpuTimes;
}

async function costOf(stack: Stack, work: () => Promise<unknown>): Promise<Cost> {
  const names = ['temporal', 'postgres', 'api', ...WORKERS] as const;
  const pids = names.flatMap((name): [string, number][] => {
    const pid = stack.pid(name);
    return pid === undefined ? [] : [[name, pid]];
  });
  // The receiver runs in this process and costs all contenders the same.
  const roots = { ...Object.fromEntries(pids), bench: process.pid };
  const before = readCpuTimes(roots);
  const elapsed = await milliseconds(work);
  const used = Object.entries(usedBetween(before, readCpuTimes(roots)));
  const cpu = Object.fromEntries(used.map(([name, ms]) => [name, ms / EVENTS]));
  return { rate: (EVENTS * 1000) / elapsed, cpu };
}

function reportDeliveries(
  answerMs: number,
  { ours, loop, recording }: Record<'ours' | 'loop' | 'recording', Cost[]>,
): string[] {
  const rates = (costs: Cost[]) => costs.map(({ rate }) => rate);
  const cpu = (costs: Cost[]) =>
    costs.map((cost) => Object.values(cost.cpu).reduce((sum, ms) => sum + ms, 0));
  const byProcess = Object.keys(ours[0]?.cpu ?? {})
    .map((name) => `${name} ${median(ours.map((cost) => cost.cpu[name] ?? 0)).toFixed(1)}`)
    .join(', ');
  const figures = (costs: Cost[]) =>
    `${spread(rates(costs))} per second with ${spread(cpu(costs), 1)} ms CPU each`;
  const ratio = ratios(rates(ours), rates(loop));
  const peer = `a plain loop of requests signed by ${packageVersion('standardwebhooks')}`;
  const title = `${EVENTS} events to a receiver that answers ${answerMs === 0 ? 'at once' : `after ${answerMs} ms`}`;
  return [
    `H1 ${title}, deliveries per second / ${peer}: ${spread(ratio, 2)}, ${goalResult(ratio, GOAL)}`,
    `H1 … ours ${figures(ours)}: ${byProcess}`,
    `H1 … the loop ${figures(loop)}`,
    `H1 … / a loop that records each delivery in Postgres: ${spread(ratios(rates(ours), rates(recording)), 2)}; that loop ${figures(recording)}`,
  ];
}

/** Sends all events, signed, with limited concurrency. */
async function sendInLoop(
  url: string,
  secret: string,
  record: (id: string) => Promise<unknown>,
): Promise<void> {
  const webhook = new Webhook(secret);
  let left = EVENTS;
  async function sendNext(): Promise<void> {
    while (left > 0) {
      left -= 1;
      const [id, now] = [randomUUID(), new Date()];
      const data = { file_id: randomUUID(), status: 'completed' };
      const body = JSON.stringify({ type: 'file.completed', timestamp: now.toISOString(), data });
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, now, body),
      };
      const answer = await fetch(url, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`the receiver answered ${answer.status}`);
      await record(id);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendNext));
}

async function subscribe({ runInfo }: Stack, url: string): Promise<string> {
  const client = new Darkroom({ baseUrl: runInfo.api_url, apiKey: runInfo.api_key });
  const { data } = await client.api.POST('/webhooks/subscriptions', { body: { url, event_types: ['*'] } });
  return data.secret;
}

type Events = ReturnType<typeof createEvents>;

/** Writes and counts the events of a tenant. */
function createEvents(orm: Orm, tenantId: string) {
  return {
    /** Writes events with the function that the database triggers call. */
    async write(count: number): Promise<void> {
      for (let written = 0; written < count; written += WRITTEN_AT_ONCE) {
        await orm.em.fork().execute(
          `select write_webhook_event(?, 'file.completed',
             jsonb_build_object('file_id', gen_random_uuid(), 'media_type', 'image', 'status', 'completed'),
             null, null, false) from generate_series(1, ?)`,
          [tenantId, Math.min(WRITTEN_AT_ONCE, count - written)],
        );
      }
    },
    async delivered(): Promise<void> {
      const deadline = Date.now() + WITHIN_MS;
      while ((await open()) > 0) {
        if (Date.now() > deadline) throw new Error('the events were not delivered in time');
        await delay(POLL_MS);
      }
    },
    /** The minimum that a loop must record: the event and its delivery. */
    async record(id: string): Promise<void> {
      const em = orm.em.fork();
      await em.execute(
        `insert into webhook_events (id, tenant_id, type, data, created_at) values (?, ?, 'file.completed', '{}', now())`,
        [id, tenantId],
      );
      await em.execute(`update webhook_events set data = '{"arrived": true}' where id = ?`, [id]);
    },
    waiting: open,
    async remove() {
      // The dispatch may hold one of the tables and wait for another.
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await orm.em.fork().execute('truncate webhook_attempts, webhook_deliveries, webhook_events');
        } catch (error) {
          if (!(error instanceof DeadlockException) || attempt === 5) throw error;
        }
      }
    },
  };

  async function open(): Promise<number> {
    const [row] = await orm.em
      .fork()
      .execute<{ count: number }[]>(
        `select count(*)::int as count from webhook_deliveries where status in ('pending', 'sending', 'retrying')`,
      );
    return row?.count ?? 0;
  }
}

async function measureUploads({
  stack,
  events,
  rounds,
  progress,
}: {
  stack: Stack;
  events: Events;
  rounds: number;
  progress: (text: string) => void;
}): Promise<string[]> {
  const api = createUploadClient(stack);
  const figures: Record<'without' | 'beside', number[]> = { without: [], beside: [] };
  async function uploadMany(): Promise<number> {
    const times: number[] = [];
    for (let upload = 0; upload < UPLOADS; upload++) {
      const file = paddedPhotograph(UPLOAD_BYTES);
      times.push(await milliseconds(() => api.upload(chunked(file), file.length)));
    }
    return percentile(times, 50);
  }
  try {
    for (let round = 0; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}: uploads`);
      await events.remove();
      const without = await uploadMany();
      await events.write(WAITING);
      const beside = await uploadMany();
      const left = await events.waiting();
      if (left < WAITING) throw new Error(`only ${left} events were waiting`);
      if (round > 0) figures.without.push(without);
      if (round > 0) figures.beside.push(beside);
    }
  } finally {
    api.close();
  }
  const ratio = ratios(figures.beside, figures.without);
  return [
    `H2 median upload of ${UPLOAD_BYTES / 1024} KiB with ${WAITING} events waiting for a receiver that never responds / without: ` +
      `${spread(ratio, 2)}, ${goalResult(ratio, UPLOAD_GOAL)}`,
    `H2 … with waiting events ${spread(figures.beside, 1)} ms, without ${spread(figures.without, 1)} ms (medians of ${UPLOADS}: ${median(figures.beside).toFixed(1)} and ${median(figures.without).toFixed(1)})`,
  ];
}
