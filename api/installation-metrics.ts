import type { EntityManager } from '@mikro-orm/postgresql';
import { Gauge } from 'prom-client';
import { countStuckFiles, type StuckDeps } from '../services/processing/find-stuck-files.ts';
import { countSubscriptions, countWaitingDeliveries } from '../services/webhooks/dispatch-deliveries.ts';
import { QUEUES, visionQueue } from '../temporal/contract/queues.ts';
import { countOpenFiles } from '../temporal/status/list-running-files.ts';
import { readQueues } from '../temporal/status/task-queues.ts';

/** A scrape waits no longer for the engine; what is missing then is absent from the answer. */
const DEADLINE_MS = 4000;
/** The `stuck_minutes` of the API by default. */
const STUCK_AFTER_MS = 30 * 60_000;
const MAX_STUCK = 200;
/** A stuck file costs a call of the engine each time, so these are counted less often than they are read. */
const STUCK_EVERY_MS = 60_000;
/** Several scrapers, or somebody who reads the page again and again, cost one reading. */
const EVERY_MS = 10_000;

/**
 * Registers the metrics of the whole installation, from the engine and the database: queues with their workers, open and
 * stuck files, webhook deliveries and subscriptions. Every API process reports the same figures, so take the largest, not the sum. No
 * label names a tenant.
 */
export function registerInstallationMetrics(deps: Omit<StuckDeps, 'em'> & { em: () => EntityManager }): void {
  const { engine, visionProviders, em } = deps;
  const queues = [...Object.values(QUEUES), ...visionProviders.map(visionQueue)];
  const readings = {
    queues: atMostEvery(EVERY_MS, () => readQueues(engine, queues, DEADLINE_MS)),
    open: atMostEvery(EVERY_MS, () => countOpenFiles(engine, DEADLINE_MS)),
    stuck: atMostEvery(STUCK_EVERY_MS, () =>
      countStuckFiles(
        { engine, visionProviders, em: em() },
        { patienceMs: STUCK_AFTER_MS, limit: MAX_STUCK, deadlineMs: DEADLINE_MS },
      ),
    ),
    deliveries: atMostEvery(STUCK_EVERY_MS, () => countWaitingDeliveries(em())),
    subscriptions: atMostEvery(STUCK_EVERY_MS, () => countSubscriptions(em())),
  };
  const byQueue = (
    name: string,
    help: string,
    valueOf: (state: Awaited<ReturnType<typeof readQueues>>[number]) => number,
  ) =>
    gauge(name, help, 'queue', readings.queues, (states) =>
      states.map((state) => [state.queue, valueOf(state)]),
    );

  byQueue('darkroom_queue_backlog', 'Tasks that wait in a queue', ({ backlog }) => backlog);
  byQueue(
    'darkroom_queue_oldest_seconds',
    'Age of the task that has waited longest in a queue',
    ({ oldestSeconds }) => oldestSeconds,
  );
  byQueue('darkroom_queue_workers', 'Workers of a queue', ({ workers }) => workers);
  byQueue('darkroom_queue_slots_used', 'Slots in use of the workers of a queue', ({ slots }) => slots.used);
  byQueue('darkroom_queue_slots_free', 'Free slots of the workers of a queue', ({ slots }) => slots.free);
  gauge('darkroom_files_open', 'Files in progress, by status', 'status', readings.open, Object.entries);
  gauge(
    'darkroom_files_stuck',
    `Files without a sign of life, by cause; at most ${MAX_STUCK}`,
    'cause',
    readings.stuck,
    Object.entries,
  );
  gauge(
    'darkroom_webhook_deliveries_waiting',
    'Webhook deliveries that wait for their first attempt (pending) or another one (retrying); at most 100,000',
    'state',
    readings.deliveries,
    Object.entries,
  );
  gauge(
    'darkroom_webhook_subscriptions',
    'Webhook subscriptions: enabled, failing, or disabled by the service',
    'state',
    readings.subscriptions,
    Object.entries,
  );
}

/** A gauge with one label that is read with each scrape. While it cannot be read, it has no values. */
function gauge<T>(
  name: string,
  help: string,
  label: string,
  read: () => Promise<T>,
  valuesOf: (reading: T) => [string, number][],
): void {
  const metric = new Gauge({
    name,
    help,
    labelNames: [label],
    async collect() {
      const reading = await read().catch(() => undefined);
      metric.reset();
      for (const [labelled, value] of reading === undefined ? [] : valuesOf(reading)) {
        metric.set({ [label]: labelled }, value);
      }
    },
  });
}

function atMostEvery<T>(milliseconds: number, read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; reading: Promise<T> } | undefined;
  return () => {
    if (!last || Date.now() - last.at >= milliseconds) last = { at: Date.now(), reading: read() };
    return last.reading;
  };
}
