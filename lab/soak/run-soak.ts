import { setTimeout as delay } from 'node:timers/promises';
import { createHttp } from '../../client/http.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { createDice } from '../shared/dice.ts';
import { measureCapacity, startLoad } from './load.ts';
import { type Minute, type Sample, summariseMinute } from './minutes.ts';
import { minuteTable, type SoakOutcome } from './report.ts';
import { createSampler } from './sampler.ts';
import { prepareUploads } from './uploads.ts';
import { createVisitor } from './visits.ts';

const SHARE_OF_CAPACITY = 1 / 3;
const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;

interface SoakOptions {
  stack: Stack;
  /** Of the measurement of the capacity. */
  measureSeconds: number;
  /** Of the load; the last one may be shorter. */
  minutes: number;
  warmUpMinutes: number;
  seed: number;
  env: NodeJS.ProcessEnv;
  /** Aborting it ends the soak early; the outcome has the minutes until then. */
  signal: AbortSignal;
  /** Receives the lines for the user. */
  print: (text: string) => void;
}

/**
 * Measures the capacity of a stack, then loads it with a third of that and reads the figures of all processes.
 *
 * @throws Error when the capacity could not be measured
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
  const purging = purgeEachMinute({ ...env, ...stack.env }, signal);
  // Awaited at the end; a rejection before that must not end the process.
  purging.catch(() => undefined);
  const minutes: Minute[] = [];
  try {
    const capacity = await measureCapacity(visitor, measureSeconds, signal);
    const rate = capacity * SHARE_OF_CAPACITY;
    print(`Capacity ${capacity.toFixed(2)} files a second, load ${rate.toFixed(2)}.`);
    const load = startLoad(visitor, { filesPerSecond: rate, onProblem: onFailure, signal });
    const sample = createSampler(stack);
    for (let minute = 1; minute < total + 1 && !signal.aborted; minute += 1) {
      const samples = await samplesFor(Math.min(1, total + 1 - minute) * MINUTE_MS, sample, signal);
      if (samples.length === 0) break;
      minutes.push(summariseMinute(minute, samples));
      const note = `${load.files} files so far, ${load.visits} visits in progress, ${count(load.problems)} problems`;
      print(minuteTable(minutes.at(-1) as Minute, note));
    }
    const { files } = load;
    over.abort();
    await load.done;
    const purgeProblem = await purging.then(
      () => undefined,
      (error: Error) => (error.name === 'AbortError' ? undefined : error.message),
    );
    const problems = new Map([...load.problems, ...http.troubles]);
    if (purgeProblem !== undefined) problems.set(`the purge failed: ${purgeProblem}`, 1);
    return { minutes, warmUpMinutes, rate, files, problems };
  } finally {
    over.abort();
  }
}

/** A sample every few seconds; those so far when aborted. */
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
 * Purges the trash of a stack each minute, until aborted. The trash keeps files for an hour at least, so deletions of
 * more than a minute ago are dated back first.
 */
async function purgeEachMinute(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const orm = createOrm(readConfig([databaseConfig], env));
  const engine = createEngine(readConfig([temporalConfig], env));
  try {
    for (;;) {
      await delay(EVERY_MS, undefined, { signal });
      await orm.em.fork().execute(
        `update files set deleted_at = deleted_at - interval '2 hours'
           where deleted_at between now() - interval '1 hour' and now() - interval '1 minute'`,
      );
      await startWorkflow(engine, 'purgeFiles', { days: 0 });
    }
  } finally {
    await engine.close();
    await orm.close(true);
  }
}
