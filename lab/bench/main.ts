import { readFile } from 'node:fs/promises';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { readFlags, wholeNumber } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { createProgress } from '../../dev/launcher/progress.ts';
import type { PartEvent } from '../../dev/launcher/bring-up.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { listenForStop, type StopSignals } from '../../dev/launcher/stop-signals.ts';
import { startBenchStack } from './bench-stack.ts';
import { run as backpressure } from './backpressure.ts';
import { run as uploadSession } from './batch-session.ts';
import { run as cancelLatency } from './cancel-latency.ts';
import type { BenchContext, BenchPart } from './context.ts';
import { run as describeFile } from './describe.ts';
import { run as importMemory } from './import-memory.ts';
import { run as importSpeed } from './import-speed.ts';
import { run as exports } from './exports.ts';
import { run as firstInteractive } from './first-interactive.ts';
import { run as fileWorkflow } from './file-workflow.ts';
import { run as links } from './links.ts';
import { run as keyFrames } from './key-frames.ts';
import { run as listFiles } from './list-files.ts';
import { run as models } from './models.ts';
import { run as pageMemory } from './page-memory.ts';
import { run as pageSpeed } from './page-speed.ts';
import { run as recognition } from './recognition.ts';
import { run as search } from './search.ts';
import { run as uploadMemory } from './upload-memory.ts';
import { run as uploadSpeed } from './upload-speed.ts';
import { run as variants } from './variants.ts';
import { run as webhooks } from './webhooks.ts';

const PARTS: Record<string, { title: string; part: BenchPart }> = {
  V1: { title: 'V1 variants', part: variants },
  O1: { title: 'O1 recognition of scans', part: recognition },
  O2: { title: 'O2 reading of pages', part: pageSpeed },
  O3: { title: 'O3 memory over many pages', part: pageMemory },
  E1: { title: 'E1 models: CPU time and memory', part: models },
  D1: { title: 'D1 key frames of videos', part: keyFrames },
  S1: { title: 'S1 search of documents', part: search },
  L1: { title: 'L1 lists', part: listFiles },
  L2: { title: 'L2 exports', part: exports },
  P1: { title: 'P1 upload speed', part: uploadSpeed },
  P2: { title: 'P2 upload memory', part: uploadMemory },
  I1: { title: 'I1 memory of an import', part: importMemory },
  I2: { title: 'I2 speed of an import', part: importSpeed },
  P3: { title: 'P3 backpressure', part: backpressure },
  A1: { title: 'A1 description, A2 behind a backlog', part: describeFile },
  W1: { title: 'W1 workflow of a file', part: fileWorkflow },
  W2: { title: 'W2 batch, W3 its history', part: uploadSession },
  W3: { title: 'W3 cancellation', part: cancelLatency },
  K1: { title: 'K1 links', part: links },
  C1: { title: 'C1 first interactive of the console', part: firstInteractive },
  H1: { title: 'H1 webhooks, H2 uploads during a webhook backlog', part: webhooks },
};
/** Interval of progress lines without a terminal. */
const LINE_EVERY_MS = 5_000;

const progress = createProgress(process.stderr);
const live = process.stderr.isTTY;
let lastLine = 0;
let starting: Promise<Stack> | undefined;

const HELP = `Usage: npm run bench -- [FIGURE ...] [options]

Compares Darkroom with its peers in the same run, and prints a line for each figure with its goal. Figures go to stdout,
progress to stderr. Without a FIGURE, all are measured:

${Object.entries(PARTS)
  .map(([name, { title }]) => `  ${name}  ${title.replace(`${name} `, '')}`)
  .join('\n')}

  --rounds N         measured rounds of each comparison (default 7)
  --photograph FILE  an image for V1 and W2
  --document FILE    a PDF for O2 and O3
  --chunks N         chunks in the larger account of S1 (default 100000)
  --rows N           files in the larger account of L1 (default 1000000)
  --help`;
const FLAGS = {
  rounds: { type: 'string', default: '7' },
  photograph: { type: 'string' },
  document: { type: 'string' },
  chunks: { type: 'string', default: '100000' },
  rows: { type: 'string', default: '1000000' },
} as const;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS, Infinity);
  if (!given) return undefined;
  const { values, positionals: names } = given;
  const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) {
    throw new UsageError(
      `Unknown figure: ${unknown.join(', ')}; choose from ${Object.keys(PARTS).join(', ')}.`,
    );
  }
  const options = {
    rounds: wholeNumber('--rounds', values.rounds, 1, 1000),
    chunks: wholeNumber('--chunks', values.chunks, 10_000, 10_000_000),
    rows: wholeNumber('--rows', values.rows, 20_000, 100_000_000),
    photograph: values.photograph ? await readFile(values.photograph) : undefined,
    document: values.document,
    env: process.env,
  };
  const stopping = listenForStop(process.env.npm_lifecycle_event !== undefined);
  stopping.kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));
  try {
    await Promise.race([measure(names, options, stopping), stopping.asked]);
  } finally {
    await end();
  }
  return stopping.stop.aborted ? 1 : 0;
});

async function measure(
  names: string[],
  options: Omit<BenchContext, 'stack' | 'progress'>,
  { stop, kill }: Pick<StopSignals, 'stop' | 'kill'>,
): Promise<void> {
  const onPart = (event: PartEvent) => progress.onPart(event);
  const startStack = () => startBenchStack(process.env, { signal: stop, killSignal: kill, onPart });
  for (const [name, { title, part }] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    onPart({ title, state: 'begun' });
    const lines = await part({
      ...options,
      stack: () => (starting ??= startStack()),
      progress(detail) {
        if (live) onPart({ title, state: 'begun', detail });
        else if (Date.now() - lastLine > LINE_EVERY_MS) {
          lastLine = Date.now();
          progress.line(`  … ${name} ${detail}`);
        }
      },
    });
    onPart({ title, state: 'done', detail: ' ' });
    for (const line of lines) console.log(line);
  }
}

async function end(): Promise<void> {
  const stack = await starting?.catch(() => undefined);
  await stack?.stop({ keepData: false });
  progress.end();
}
