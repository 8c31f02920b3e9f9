import {
  Runtime,
  Worker,
  type ActivityInterceptorsFactory,
  type InjectedSinks,
  type WorkerOptions,
} from '@temporalio/worker';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { hideMemory } from '../engines/hosts/containment/hide-memory.ts';
import { containmentHere } from '../engines/hosts/containment/plan.ts';
import { createLog, exitOnDefect } from '../adapters/log/create-log.ts';
import { watchLoop } from '../adapters/loop-watch/watch-loop.ts';
import { collectProcessMetrics } from '../adapters/process-metrics.ts';
import { startTracing } from '../adapters/tracing/start-tracing.ts';
import { removeFoldersOfKilled } from '../engines/temporary-folders.ts';
import { directDatabase } from '../db/config.ts';
import { createOrm } from '../db/create-orm.ts';
import { ConfigError, readConfig } from '../domain/schemas/read-config.ts';
import { SWEEP_DEADLINE_MS } from '../temporal/deadlines.ts';
import type { TraceSinks } from '../temporal/contract/traces.ts';
import { activityLog } from './activity-log.ts';
import { connectWorker } from './connect.ts';
import { openWorkerDeps } from './deps.ts';
import { dispatchWebhooks } from './dispatch-webhooks.ts';
import { ensureSchedules } from './ensure-schedules.ts';
import { keepIndexes } from './keep-indexes.ts';
import { serveHealth } from './health.ts';
import { shareSlots } from './share-slots.ts';
import { chooseWorkflows, WORKFLOW_INTERCEPTORS } from './workflow-bundle.ts';
import { keptOn, QUEUE_NAMES, queueOptions, type QueueName } from './queues.ts';
import { WORKER_SETTINGS } from './settings.ts';

/**
 * `node worker/main.ts --queues workflows,io,cpu,documents,video,ocr,index,web,imports,webhooks,vision`: one process that polls the named queues.
 * SIGTERM and SIGINT stop polling, let running tasks finish, and end the process.
 */
const config = readConfig(WORKER_SETTINGS, process.env);
// Before it collects, V8 lets a heap become several times what is alive in it (719).
setFlagsFromString('--heap-growing-percent=50');
// On a machine of a single user, keys are in files of that user anyway.
if (process.env['NODE_ENV'] === 'production') await hideMemory();
const containment = containmentHere();
if (config.CONTAINMENT === 'required' && containment.level !== 'full')
  throw new ConfigError([
    `CONTAINMENT: is required, but here it is ${containment.level}: ${containment.detail}`,
  ]);
const queues = readQueues();
const logging = { level: config.LOG_LEVEL, base: { service: 'worker', queues: queues.join(',') } };
const tracing = await startTracing(config, 'worker', (error) =>
  log.warn({ err: error }, 'spans are lost: the collector of traces did not take them'),
);
const log = createLog(logging);
exitOnDefect(log);
if (containment.level === 'full') log.info('the processes that read files of tenants are contained');
else log.warn({ containment }, 'the processes that read files of tenants are not fully contained');
const stop = new AbortController();
const stopped = once(stop.signal, 'abort');
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());
await removeFoldersOfKilled();

Runtime.install({
  shutdownSignals: [],
  // Several within the time after which a file on a queue without a worker is stuck.
  workerHeartbeatInterval: '10 s',
  // Otherwise the SDK's native core writes to the console directly.
  telemetryOptions: { logging: { forward: {} } },
  logger: {
    log: (level, message, meta) => log[toPino(level)](meta ?? {}, message),
    trace: (message, meta) => log.trace(meta ?? {}, message),
    debug: (message, meta) => log.debug(meta ?? {}, message),
    info: (message, meta) => log.debug(meta ?? {}, message),
    // Work that has failed is recorded, and its activity has logged what may be our fault.
    warn: (message, meta) => log[message === 'Workflow failed' ? 'info' : 'warn'](meta ?? {}, message),
    error: (message, meta) => log.error(meta ?? {}, message),
  },
});
collectProcessMetrics();

let workers: Worker[] = [];
const health = await serveHealth(
  config,
  () => workers,
  () =>
    deps.engine
      .within(SWEEP_DEADLINE_MS, ({ workflowService }) => workflowService.getSystemInfo({}))
      .then(
        () => true,
        () => false,
      ),
  containment,
);
const { deps, close } = await openWorkerDeps(
  config,
  (error, ids) =>
    log.warn({ err: error, ...ids }, 'the workflow engine was not reached; the sweep repeats this'),
  stop.signal,
  tracing?.workflowCalls,
);
const connection = await connectWorker(config, log, stop.signal);
// Stopped before the engine was reached.
if (!connection) process.exit(0);
const workflows = queues.includes('workflows') ? chooseWorkflows(config.WORKFLOW_BUNDLE, log) : {};
// Also without traces: a run that began with one tells of its end.
const sinks: InjectedSinks<TraceSinks> = {
  traces: { runEnded: { fn: (info, run) => tracing?.runEnded(info, run) } },
};
workers = await Promise.all(
  queues
    .flatMap((name) => queueOptions(name, deps, config).map((options) => ({ name, options })))
    .map(({ name, options }) =>
      Worker.create({
        connection,
        namespace: config.TEMPORAL_NAMESPACE,
        ...options,
        ...(name === 'workflows' && workflows),
        interceptors: {
          activity: [...(tracing ? [tracing.activity] : []), activityLog(log), ...sharing(name, options)],
          // Of workflows without a bundle; a bundle has them.
          ...(name === 'workflows' &&
            'workflowsPath' in workflows && { workflowModules: WORKFLOW_INTERCEPTORS }),
        },
        sinks,
        // Cancellations are delivered with heartbeats, so these must not be throttled for long.
        maxHeartbeatThrottleInterval: '1 s',
        shutdownGraceTime: '15 s',
        stickyQueueScheduleToStartTimeout: config.STICKY_SECONDS * 1000,
      }),
    ),
);
if (queues.includes('workflows')) await ensureSchedules(deps.engine);
const listening =
  config.DATABASE_DIRECT_URL === undefined
    ? deps.orm
    : createOrm({ ...directDatabase(config), DATABASE_POOL_SIZE: 1 });
const stopDispatch = queues.includes('webhooks')
  ? dispatchWebhooks(deps, { listening, slots: config.WEBHOOK_SLOTS, log })
  : undefined;
const stopRebuilds = queues.includes('index') ? keepIndexes(deps, config, log) : undefined;
watchLoop(logging);
log.info('polling');

await Promise.all(workers.map((worker) => worker.runUntil(stopped)));
await stopDispatch?.();
stopRebuilds?.();
if (listening !== deps.orm) await listening.close(true);
log.info('drained');
health.close();
await connection.close();
await close();
await tracing?.stop();

/**
 * Shares a worker fairly among tenants. Only for work that takes seconds or more; short work must not wait
 * and keeps the engine's order.
 */
function sharing(
  name: QueueName,
  { maxConcurrentActivityTaskExecutions: slots }: Pick<WorkerOptions, 'maxConcurrentActivityTaskExecutions'>,
): ActivityInterceptorsFactory[] {
  return slots !== undefined &&
    ['cpu', 'documents', 'video', 'ocr', 'index', 'web', 'imports', 'vision', 'webhooks'].includes(name)
    ? [shareSlots(slots, keptOn(name, slots))]
    : [];
}

function readQueues(): QueueName[] {
  const { values } = parseArgs({ options: { queues: { type: 'string', default: QUEUE_NAMES.join(',') } } });
  const names = values.queues.split(',');
  const unknown = names.filter((name) => !(QUEUE_NAMES as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new Error(`unknown queue ${unknown.join(', ')}; choose from ${QUEUE_NAMES.join(', ')}`);
  return names as QueueName[];
}

function toPino(level: string): 'trace' | 'debug' | 'info' | 'warn' | 'error' {
  return level.toLowerCase() as 'trace' | 'debug' | 'info' | 'warn' | 'error';
}
