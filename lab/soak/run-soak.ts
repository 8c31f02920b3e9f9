import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readJson } from '../../dev/processes/json-file.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { type OwnFigures, type Sample, type Minute, summariseMinute } from './minutes.ts';
import { readProcesses } from './read-processes.ts';
import { fetchFromProcess } from '../../dev/processes/fetch-from-process.ts';
import { createHttp } from '../shared/http.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine, type Engine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { createDice } from '../shared/dice.ts';
import { measureCapacity, startLoad } from './load.ts';
import { minuteTable, type SoakOutcome } from './report.ts';
import { prepareUploads } from './uploads.ts';
import { createVisitor } from './visits.ts';
import { PURGE_FILES } from '../../temporal/contract/purge-files.ts';

const ANSWER_MS = 5_000;
const WORKERS = ['worker', 'worker-cpu', 'worker-ocr'] as const;
const GAUGES = {
  heap: 'nodejs_heap_size_used_bytes',
  external: 'nodejs_external_memory_bytes',
  handles: 'nodejs_active_handles_total',
} as const;

/** Returns a function that reads the current figures of every process of a stack. */
function createSampler(stack: Stack): () => Promise<Sample> {
  const ports = readJson(join(stack.home, 'ports.json')) as Record<string, number>;
  const origins: Record<string, string> = {
    api: new URL(stack.runInfo.api_url).origin,
    ...Object.fromEntries(WORKERS.map((name) => [name, `http://127.0.0.1:${ports[name]}`])),
  };
  return async () => {
    const own = Object.fromEntries(
      await Promise.all(
        Object.entries(origins).map(async ([name, origin]) => [name, await readOwn(origin)] as const),
      ),
    );
    const usages = [...readProcesses(stack.runInfo.pids)].toSorted(([a], [b]) => a.localeCompare(b));
    return new Map(usages.map(([role, usage]) => [role, { ...usage, ...own[role] }] as const));
  };
}

/** Empty if the process does not respond. */
async function readOwn(origin: string): Promise<Partial<OwnFigures>> {
  try {
    const answer = await fetchFromProcess(origin, '/metrics', ANSWER_MS);
    return readGauges(await answer.text());
  } catch {
    return {};
  }
}

/** The figures in the Prometheus metrics of a process; empty unless all are present. */
export function readGauges(text: string): Partial<OwnFigures> {
  const figures = Object.entries(GAUGES).map(([key, name]) => {
    const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
    return [key, Number(value)] as const;
  });
  return figures.every(([, value]) => Number.isFinite(value)) ? Object.fromEntries(figures) : {};
}

const SHARE_OF_CAPACITY = 1 / 3;
const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;

interface SoakOptions {
  stack: Stack;
  /** Duration of the capacity measurement. */
  measureSeconds: number;
  /** Minutes of load; the last one may be shorter. */
  minutes: number;
  warmUpMinutes: number;
  seed: number;
  env: NodeJS.ProcessEnv;
  /** Aborting it ends the test early; the outcome has the minutes until then. */
  signal: AbortSignal;
  /** Receives the lines for the user. */
  print: (text: string) => void;
}

/**
 * Measures the capacity of a stack, then loads it with a third of that and reads the figures of all processes.
 *
 * @throws Error if the capacity cannot be measured
 */
export async function runSoak(options: SoakOptions): Promise<SoakOutcome> {
  const { stack, measureSeconds, minutes: total, warmUpMinutes, seed, env, print } = options;
  const onFailure = (problem: string) => print(`  ✗ ${problem}`);
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const { api_url: apiUrl, api_key: apiKey } = stack.runInfo;
  const http = createHttp({ apiUrl, apiKey, signal, onFailure });
  const dice = createDice(seed);
  const nextUpload = await prepareUploads(dice);
  const visitor = createVisitor({ http, apiUrl, apiKey, nextUpload, dice, signal });
  const purgeProblems = new Map<string, number>();
  const purging = purgeEachMinute({ ...env, ...stack.env }, signal, (problem) => {
    onFailure(problem);
    purgeProblems.set(problem, (purgeProblems.get(problem) ?? 0) + 1);
  });
  const minutes: Minute[] = [];
  const engine = createEngine(readConfig([temporalConfig], { ...env, ...stack.env }));
  try {
    const capacity = await measureCapacity(visitor, measureSeconds, signal);
    const rate = capacity * SHARE_OF_CAPACITY;
    print(`Capacity ${capacity.toFixed(2)} files a second, load ${rate.toFixed(2)}.`);
    const load = startLoad(visitor, { filesPerSecond: rate, onProblem: onFailure, signal });
    const sample = createSampler(stack);
    for (let minute = 1; minute < total + 1 && !signal.aborted; minute += 1) {
      const samples = await samplesFor(Math.min(1, total + 1 - minute) * MINUTE_MS, sample, signal);
      if (samples.length === 0) break;
      minutes.push({
        ...summariseMinute(minute, samples),
        leftovers: {
          'temporary files': readdirSync(tmpdir()).length,
          // A read that fails must not end the run.
          'longest history': await longestHistory(engine).catch(() => 0),
        },
      });
      const note = `${load.files} files so far, ${load.visits} visits in progress, ${count(load.problems)} problems`;
      print(minuteTable(minutes.at(-1) as Minute, note));
    }
    const { files } = load;
    over.abort();
    await load.done;
    await purging;
    const problems = new Map([...load.problems, ...http.problems, ...purgeProblems]);
    return { minutes, warmUpMinutes, rate, files, problems };
  } finally {
    over.abort();
    await engine.close();
  }
}

/** Lists have the length of ended workflows only, so each running one is read. */
async function longestHistory({ client }: Engine): Promise<number> {
  const lengths: number[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query: `ExecutionStatus = 'Running'` })) {
    const described = await client.workflow.getHandle(workflowId, runId).describe();
    lengths.push(described.historyLength);
  }
  return Math.max(0, ...lengths);
}

/** Takes a sample every few seconds. When aborted, returns the samples taken until then. */
async function samplesFor(
  milliseconds: number,
  sample: () => Promise<Sample>,
  signal: AbortSignal,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const until = performance.now() + milliseconds;
  while (performance.now() < until - 1) {
    const next = Math.min(SAMPLE_MS, until - performance.now());
    await delay(next, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    samples.push(await sample());
  }
  return samples;
}

function count(problems: ReadonlyMap<string, number>): number {
  return [...problems.values()].reduce((sum, each) => sum + each, 0);
}

const EVERY_MS = 60_000;

/**
 * Purges the trash of a stack each minute until aborted, and reports purges that fail. The trash keeps files for at least
 * an hour, so deletions that are older than a minute are backdated first.
 */
async function purgeEachMinute(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  onProblem: (problem: string) => void,
): Promise<void> {
  const orm = createOrm(readConfig([databaseConfig], env));
  const engine = createEngine(readConfig([temporalConfig], env));
  try {
    for (;;) {
      await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await orm.em.fork().execute(
          `update files set deleted_at = deleted_at - interval '2 hours'
           where deleted_at between now() - interval '1 hour' and now() - interval '1 minute'`,
        );
        await startWorkflow(engine, PURGE_FILES, { days: 0 });
      } catch (error) {
        onProblem(`a purge failed: ${(error as Error).message}`);
      }
    }
  } finally {
    await engine.close();
    await orm.close(true);
  }
}
