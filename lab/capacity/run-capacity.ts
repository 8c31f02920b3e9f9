import { setTimeout as delay } from 'node:timers/promises';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { forEachConcurrently, upload } from '../noisy/deliver.ts';
import type { Bar } from '../shared/bar.ts';
import { createHttp } from '../shared/http.ts';
import type { CountingProxy } from './counting-proxy.ts';
import { startCpuMeter } from './cpu-meter.ts';
import { startReplicas } from './replicas.ts';
import {
  costsBetween,
  costsOfOne,
  countStatements,
  preloadStatementCounter,
  readCosts,
  WORK,
  type Costs,
  type Sources,
} from './read-costs.ts';
import type { Workload } from './workloads.ts';

/** Uploads at a time. */
const LANES = 4;
/** Files of each workload that are sent before it is measured: they start child processes and fill caches. */
export const WARM_UP = 2;
const IDLE_SECONDS = 15;
const POLL_MS = 500;
/** Usage events are written after a second, and visibility records a little later. */
const SETTLE_MS = 4_000;

export interface Measured {
  title: string;
  /** Number of images or pages. */
  units: number;
  /** Duration of all of them. */
  seconds: number;
  /** Costs of one of them, without the idle share. */
  costs: Costs;
}

export interface CapacityResult {
  workloads: Measured[];
  /** Costs of a second without work. */
  idle: Costs;
}

/**
 * Measures what images and pages cost on a stack.
 *
 * @param requests the proxy through which the stack reaches its store
 */
export async function runCapacity(options: {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  workloads: readonly Workload[];
  requests: CountingProxy;
  /** Number of processes: of the API, and of each kind of worker. */
  counts: { apis: number; workers: number };
  bar: Bar;
  signal: AbortSignal;
}): Promise<CapacityResult> {
  const { stack, env, workloads, requests, counts, bar, signal } = options;
  const settings = { ...env, ...stack.env };
  const preparing = createOrm(readConfig([databaseConfig], settings));
  try {
    await preloadStatementCounter(preparing);
  } finally {
    await preparing.close(true);
  }
  await stack.restart('postgres');

  const { api_url: apiUrl, api_key: apiKey } = stack.runInfo;
  const replicas = await startReplicas(stack, { ...settings, S3_ENDPOINT: requests.url }, counts);
  const clients = [apiUrl, ...replicas.apiUrls].map((url) => createHttp({ apiUrl: url, apiKey, signal }));
  const sources: Sources = {
    cpu: startCpuMeter(() => ({ ...stack.runInfo.pids, ...replicas.pids })),
    requests,
    orm: createOrm(readConfig([databaseConfig], settings)),
    objects: createS3ObjectStore(s3Config.parse(stack.env)),
    engine: createEngine(readConfig([temporalConfig], settings)),
  };
  let [accepted, ended] = [0, 0];

  try {
    await countStatements(sources.orm);
    for (const workload of workloads) await process(workload.files.slice(0, WARM_UP), 'warm-up');
    bar.show(accepted, ended, 'idle');
    const idle = await costsOfSecond();
    const measured: Measured[] = [];
    for (const { title, units, files } of workloads) {
      const before = await readCosts(sources);
      const began = performance.now();
      await process(files.slice(WARM_UP), title);
      const seconds = (performance.now() - began) / 1000;
      const used = costsBetween(before, await readCosts(sources));
      measured.push({ title, units, seconds, costs: costsOfOne(used, { units, seconds, idle }) });
    }
    return { workloads: measured, idle };
  } finally {
    await replicas.stop();
    sources.cpu.stop();
    await sources.engine.close();
    await sources.orm.close(true);
  }

  /** Uploads files and waits until their work has ended. Clients do not poll, which would be measured as well. */
  async function process(files: Workload['files'], note: string): Promise<void> {
    await forEachConcurrently(files, LANES, async (file) => {
      const http = clients[accepted % clients.length];
      if (http) await upload(http, file);
      bar.show((accepted += 1), ended, note);
    });
    for (;;) {
      const { count: finished } = await count(
        `WorkflowType = 'processFile' AND ExecutionStatus != 'Running'`,
      );
      const { count: running } = await count(`${WORK} AND ExecutionStatus = 'Running'`);
      bar.show(accepted, (ended = finished), note);
      if (finished >= accepted && running === 0) break;
      await delay(POLL_MS, undefined, { signal });
    }
    await delay(SETTLE_MS, undefined, { signal });
    const { count: failed } = await count(`WorkflowType = 'processFile' AND UnifiedStatus != 'completed'`);
    if (failed > 0)
      throw new Error(`${failed} files were not completed, so their costs are not those of files.`);
  }

  function count(query: string): Promise<{ count: number }> {
    return sources.engine.client.workflow.count(query);
  }

  async function costsOfSecond(): Promise<Costs> {
    const before = await readCosts(sources);
    await delay(IDLE_SECONDS * 1000, undefined, { signal });
    const used = costsBetween(before, await readCosts(sources));
    return Object.fromEntries(Object.entries(used).map(([name, value]) => [name, value / IDLE_SECONDS]));
  }
}
