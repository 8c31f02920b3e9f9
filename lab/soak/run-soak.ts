import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import { createDice } from '../shared/dice.ts';
import { createHttp } from '../../client/http.ts';
import { measureCapacity, startLoad } from './load.ts';
import { type Minute, type Sample, summariseMinute } from './minutes.ts';
import { purgeEachMinute } from './purge.ts';
import { minuteTable, type SoakOutcome } from './report.ts';
import { createSampler } from './sampler.ts';
import { prepareUploads } from './uploads.ts';
import { createVisitor } from './visits.ts';

const SHARE_OF_CAPACITY = 1 / 3;
const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;

export interface SoakOptions {
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
