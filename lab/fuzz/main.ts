import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberOf, readFlags, wholeNumber } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { onDisposableStack } from '../shared/on-disposable-stack.ts';
import { documentPart, imagePart } from './files/readers.ts';
import { documentSeeds, imageSeeds } from './files/seeds.ts';
import { createPrincipals } from './principals.ts';
import { reportParts, saveFindings, shortfallsOfParts } from './report.ts';
import { cursorPart } from './requests/cursors.ts';
import { jsonPart } from './requests/json.ts';
import { livePart } from './requests/live.ts';
import { multipartPart } from './requests/multipart.ts';
import { openTarget, type Target } from './requests/target.ts';
import { type PartOptions, type PartResult, runPart } from './run-part.ts';
import { installSchemathesis, testOperations } from './schemathesis.ts';
import {
  type CallerResult,
  neverAccepted,
  reportCaller,
  shortfallsOfOperations,
} from './schemathesis-report.ts';

const OPERATIONS = 'operations';
/** Parts that send requests, in order. */
const REQUEST_PARTS: Record<string, (target: Target, options: PartOptions) => Promise<PartResult>> = {
  multipart: (target, options) => runPart(multipartPart(target), options),
  json: (target, options) => runPart(jsonPart(target), options),
  cursors: async (target, options) => runPart(await cursorPart(target), options),
  live: (target, options) => runPart(livePart(target), options),
};
/** Parts that read files in child processes of this one, each with an empty folder. */
const FILE_PARTS: Record<string, (folder: string, options: PartOptions) => Promise<PartResult>> = {
  documents: async (folder, options) => runPart(documentPart(await documentSeeds(), folder), options),
  images: async (folder, options) => runPart(imagePart(await imageSeeds(), folder), options),
};
const PARTS = [...Object.keys(FILE_PARTS), ...Object.keys(REQUEST_PARTS), OPERATIONS];

const HELP = `Usage: npm run fuzz -- [options]

Sends generated input to the readers of files and to a disposable stack, in parts:

  documents, images    changed files: each is to be read or refused by a typed error, and to leave no process or file
  multipart, json, cursors, live
                       damaged forms, JSON bodies, cursors of lists and WebSocket frames: each is to be accepted or
                       refused with a documented error
  operations           requests derived from the OpenAPI document, valid and invalid, as every kind of caller; responses are
                       compared with the document. Needs Python 3 and, the first time, PyPI: Schemathesis is installed in
                       .cache/.

  --cases N      fewest requests to operations, of all callers together (default 20000)
  --minutes N    longest time for requests to operations, such as 90 or 0.5 (default 180)
  --inputs N     inputs of each other part (default 1000)
  --seed N       seed of all inputs (default 1)
  --only PARTS   some of the parts, comma-separated
  --help

Prints counts by part and by kind of refusal. Each finding is printed, and kept in a folder with the smallest input that
shows it; so are inputs that crashed a reader, which is no finding if it was reported as a crash.

Exit code: 0 no findings, 1 findings, or fewer inputs than asked for, or an operation without requests, 2 the run could not
be completed.`;
const FLAGS = {
  cases: { type: 'string', default: '20000' },
  inputs: { type: 'string', default: '1000' },
  minutes: { type: 'string', default: '180' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: PARTS.join(',') },
} as const;
const MOST_INPUTS = 10_000_000;
const APPS = ['api', 'worker', 'worker-cpu', 'worker-ocr'] as const;

interface Run {
  /** Names of parts. */
  only: readonly string[];
  cases: number;
  minutes: number;
  inputs: number;
  seed: number;
  /** For reports and findings. */
  folder: string;
}

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const cases = wholeNumber('--cases', given.values.cases, 1, MOST_INPUTS);
  const inputs = wholeNumber('--inputs', given.values.inputs, 1, MOST_INPUTS);
  const minutes = numberOf('--minutes', given.values.minutes, 0.1, 24 * 60);
  const seed = wholeNumber('--seed', given.values.seed, 0, 2 ** 31 - 1);
  const only = given.values.only.split(',');
  const unknown = only.find((name) => !PARTS.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no part "${unknown}"; the parts are ${PARTS.join(', ')}.`);

  const folder = mkdtempSync(join(tmpdir(), 'darkroom-fuzz-'));
  const run = { only, cases, minutes, inputs, seed, folder };
  const results = await fuzzFiles(run);
  const shortfalls: string[] = [];
  if (only.some((name) => !(name in FILE_PARTS))) {
    await onDisposableStack(environment(), {}, async (stack, signal) => {
      const pids = APPS.map((name) => stack.pid(name));
      const target = await openTarget(stack.runInfo, await createPrincipals(stack.runInfo));
      results.push(...(await fuzzRequests(target, run, signal)));
      if (only.includes(OPERATIONS)) shortfalls.push(...(await fuzzOperations(target, run, signal)));
      signal.throwIfAborted();
      const ended = APPS.filter((name, at) => stack.pid(name) !== pids[at]);
      shortfalls.push(...ended.map((name) => `the process ${name} ended`));
      for (const name of APPS) copyFileSync(stack.logPath(name), join(folder, `${name}.log`));
    });
  }

  shortfalls.push(...shortfallsOfParts(results));
  if (results.length > 0) console.log(`\n${reportParts(results)}`);
  const saved = saveFindings(results, folder, seed);
  console.log(shortfalls.length === 0 ? '\nNo findings.' : `\n${shortfalls.join('\n')}`);
  if (shortfalls.length > 0 || saved > 0) console.log(`Inputs and reports are in ${folder}. Seed: ${seed}.`);
  else rmSync(folder, { recursive: true });
  return shortfalls.length === 0 ? 0 : 1;
});

function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info',
    // Otherwise all connections to Google are rejected before their validation. No server listens at this address.
    GOOGLE_CLIENT_ID: 'fuzz',
    GOOGLE_CLIENT_SECRET: 'fuzz',
    GOOGLE_BASE_URL: 'http://127.0.0.1:9',
  };
}

async function fuzzFiles({ only, folder: parent, seed, inputs: cases }: Run): Promise<PartResult[]> {
  const results: PartResult[] = [];
  for (const [name, fuzz] of Object.entries(FILE_PARTS)) {
    if (!only.includes(name)) continue;
    const folder = join(parent, `${name}-now`);
    mkdirSync(folder);
    results.push(await fuzz(folder, { seed, cases }));
    rmSync(folder, { recursive: true });
  }
  return results;
}

async function fuzzRequests(target: Target, run: Run, signal: AbortSignal): Promise<PartResult[]> {
  const { only, seed, inputs: cases } = run;
  const results: PartResult[] = [];
  for (const [name, fuzz] of Object.entries(REQUEST_PARTS)) {
    if (only.includes(name)) results.push(await fuzz(target, { seed, cases, signal }));
  }
  return results;
}

/** Sends requests to all operations as each caller, who get equal shares of the time. @returns the shortfalls */
async function fuzzOperations(target: Target, run: Run, signal: AbortSignal): Promise<string[]> {
  const operations = [...target.operations.values()].map(({ method, path }) => `${method} ${path}`);
  const program = await installSchemathesis();
  const callers: CallerResult[] = [];
  const principals = [...target.principals.values()];
  for (const [at, principal] of principals.entries()) {
    const time = AbortSignal.timeout((run.minutes * 60_000) / principals.length);
    const options = {
      program,
      apiUrl: target.origin.origin + target.prefix,
      document: target.document,
      principal,
      operations,
      cases: Math.ceil(run.cases / principals.length),
      seed: run.seed,
      folder: join(run.folder, OPERATIONS, `${at + 1}`),
      signal: AbortSignal.any([signal, time]),
    };
    callers.push(await testOperations(options));
  }
  const sent = callers.reduce((sum, { cases }) => sum + cases, 0);
  console.log(callers.map((caller) => reportCaller(caller, operations)).join('\n'));
  console.log(`${sent} cases in total, seed ${run.seed}`);
  console.log(`Never accepted: ${neverAccepted(callers, operations).join(', ') || 'no operation'}`);
  return shortfallsOfOperations(callers, { asked: run.cases, operations });
}
