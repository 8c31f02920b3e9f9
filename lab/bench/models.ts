import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { findModel, MODELS } from '../../engines/models/catalogue.ts';
import { modelsFolder, onnxConfig } from '../../engines/onnx/config.ts';
import { Darkroom } from '../../sdk/src/index.ts';
import { readProcesses } from '../soak/read-processes.ts';
import { WORKERS } from './bench-stack.ts';
import type { BenchContext } from './context.ts';
import { goalResult, spread } from './statistics.ts';
import { MIB } from './upload-client.ts';

const runProgram = promisify(execFile);
const ONE_MODEL = fileURLToPath(new URL('one-model.ts', import.meta.url));
const SAMPLES = new URL('../../dev/samples/', import.meta.url);
const TEXT = new URL('../../docs/images/console-ask.png', import.meta.url);
const QUESTION = 'Who paid for the moorings?';
/** Each round starts two stacks. */
const MOST_ROUNDS = 3;
const GOAL_MIB = { most: 300 };
/** Sent at once, so that every recogniser has one. */
const SCANS = 4;
/** For what is freed after the last work. */
const SETTLE_MS = 5_000;

/**
 * E1: CPU time and memory of each model of the service, and the memory of all processes of a stack after a
 * picture, scans, a search and a question, compared with a stack without models.
 */
export async function run({ rounds, env, progress }: BenchContext): Promise<string[]> {
  if (process.platform !== 'linux') return ['E1 skipped: it reads the memory of other processes from /proc'];
  const config = readConfig([onnxConfig], env);
  if (MODELS.some(({ name }) => findModel(name, config) === undefined))
    return ['E1 skipped: models are missing; run npm run models'];
  return [
    ...(await measureModels(modelsFolder(config), rounds, progress)),
    ...(await measureStacks(env, modelsFolder(config), Math.min(rounds, MOST_ROUNDS), progress)),
  ];
}

/** Calls of one-model.ts, with what they are and their goals in ms of CPU. */
const CALLS: { name: string; title: string; goal?: { most: number } }[] = [
  { name: 'picture', title: 'what is in a picture', goal: { most: 150 } },
  { name: 'text', title: 'the text of a screenshot', goal: { most: 900 } },
  { name: 'text by Tesseract', title: 'the same by tesseract.js' },
  { name: 'passage', title: 'a passage of 650 characters embedded', goal: { most: 30 } },
  { name: 'question', title: 'a question embedded', goal: { most: 15 } },
  { name: 'passage by the bundled model', title: 'the passage by the bundled model' },
  { name: 'rating', title: 'a passage rated' },
];

/** Each in a process of its own, whose memory is that of its models. */
async function measureModels(
  folder: string,
  rounds: number,
  progress: BenchContext['progress'],
): Promise<string[]> {
  const lines: string[] = [];
  for (const { name, title, goal } of CALLS) {
    progress(title);
    const { stdout } = await runProgram(process.execPath, [ONE_MODEL, name, String(rounds), folder]);
    const { cpu, mib } = JSON.parse(stdout) as { cpu: number[]; mib: number };
    const result = goal ? `, ${goalResult(cpu, goal)}` : '';
    lines.push(`E1 ms CPU for ${title}: ${spread(cpu)}${result}; ${mib.toFixed(0)} MiB`);
  }
  return lines;
}

async function measureStacks(
  env: NodeJS.ProcessEnv,
  folder: string,
  rounds: number,
  progress: BenchContext['progress'],
) {
  const without: Record<string, number>[] = [];
  const withModels: Record<string, number>[] = [];
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}: a stack without models`);
    without.push(await memoryAfterWork(env, undefined));
    progress(`round ${round} of ${rounds}: a stack with models`);
    withModels.push(await memoryAfterWork(env, folder));
  }
  const sums = (figures: Record<string, number>[]) =>
    figures.map((each) => Object.values(each).reduce((sum, mib) => sum + mib, 0));
  const grown = sums(withModels).map((mib, round) => mib - (sums(without)[round] ?? NaN));
  const names = [...new Set([...without, ...withModels].flatMap(Object.keys))];
  const each = names.map((name) => {
    const of = (figures: Record<string, number>[]) => figures.map((figure) => figure[name] ?? 0);
    return `${name} ${spread(of(without))} → ${spread(of(withModels))}`;
  });
  return [
    `E1 MiB of all processes of the service after a picture, scans, a search and a question, with models more than without: ${spread(grown)}, ${goalResult(grown, GOAL_MIB)}`,
    `E1 … by process: ${each.join(', ')}`,
  ];
}

/** Resident MiB by process of a fresh stack that has done a bit of everything. */
async function memoryAfterWork(
  env: NodeJS.ProcessEnv,
  folder: string | undefined,
): Promise<Record<string, number>> {
  const stack = await startDisposableStack({
    ...env,
    LOG_LEVEL: 'warn',
    ...(folder !== undefined && { MODELS_DIR: folder }),
  });
  try {
    const { api_url: baseUrl, api_key: apiKey } = stack.runInfo;
    const client = new Darkroom({ baseUrl, apiKey });
    const send = async (path: URL, filename: string) => {
      const { file_id: id } = await client.upload(await readFile(path), { filename });
      return client.wait(id);
    };
    await send(new URL('coffee.jpg', SAMPLES), 'picture.jpg');
    await send(TEXT, 'screenshot.png');
    const scan = new URL('documents/receipt-scan.pdf', SAMPLES);
    await Promise.all(Array.from({ length: SCANS }, (_, at) => send(scan, `scan-${at}.pdf`)));
    await client.search(QUESTION);
    await client.ask(QUESTION);
    await delay(SETTLE_MS);
    const roots = Object.fromEntries(
      ['api', ...WORKERS].map((name) => [name, stack.pid(name as 'api') ?? 0]),
    );
    const roles = [...readProcesses(roots)].map(([role, { rss }]) => [role, rss / MIB] as const);
    return Object.fromEntries(roles);
  } finally {
    await stack.stop({ keepData: false });
  }
}
