import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createProgress } from '../dev/launcher/progress.ts';
import type { Stack } from '../dev/launcher/stack.ts';
import { listenForStop } from '../dev/launcher/stop-signals.ts';
import { startBenchStack } from './bench-stack.ts';
import { run as backpressure } from './backpressure.ts';
import { run as batchSession } from './batch-session.ts';
import { run as cancelLatency } from './cancel-latency.ts';
import type { BenchPart } from './context.ts';
import { run as fileWorkflow } from './file-workflow.ts';
import { run as listFiles } from './list-files.ts';
import { run as similar } from './similar.ts';
import { run as uploadMemory } from './upload-memory.ts';
import { run as uploadSpeed } from './upload-speed.ts';
import { run as variants } from './variants.ts';

/**
 * `node bench/main.ts [L1 P1 P2 P3 S2 V1 W1 W2 W3] [--rounds 7] [--photograph file.jpg] [--photographs folder]
 * [--rows 1000000]`: measures Darkroom
 * beside its peers, side by side in this run, and prints a line for each figure with its goal. Figures go to stdout, progress to stderr.
 */
const PARTS: Record<string, { title: string; part: BenchPart }> = {
  V1: { title: 'V1 variants', part: variants },
  S2: { title: 'S2 similar pictures', part: similar },
  L1: { title: 'L1 lists', part: listFiles },
  P1: { title: 'P1 upload speed', part: uploadSpeed },
  P2: { title: 'P2 upload memory', part: uploadMemory },
  P3: { title: 'P3 backpressure', part: backpressure },
  W1: { title: 'W1 workflow of a file', part: fileWorkflow },
  W2: { title: 'W2 batch, W3 its history', part: batchSession },
  W3: { title: 'W3 cancellation', part: cancelLatency },
};
/** Where a terminal would show each turn, a log gets a line now and then. */
const LINE_EVERY_MS = 5_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    photograph: { type: 'string' },
    photographs: { type: 'string' },
    rows: { type: 'string', default: '1000000' },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error(`--rounds takes a number from 1, not ${values.rounds}`);
const rows = Number(values.rows);
if (!Number.isInteger(rows) || rows < 20_000)
  throw new Error(`--rows takes a number from 20000, not ${values.rows}`);
const unknown = positionals.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0)
  throw new Error(`unknown: ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);

const stopping = listenForStop(process.env.npm_lifecycle_event !== undefined);
const progress = createProgress(process.stderr);
const live = process.stderr.isTTY;
let lastLine = 0;
let starting: Promise<Stack> | undefined;
stopping.kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));

try {
  await Promise.race([measure(), stopping.asked]);
} finally {
  const stack = await starting?.catch(() => undefined);
  await stack?.stop({ keepData: false });
  progress.end();
}
// What a part that was interrupted has left open must not keep the process.
process.exit(stopping.stop.aborted ? 1 : process.exitCode);

async function measure(): Promise<void> {
  for (const [name, { title, part }] of Object.entries(PARTS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    progress.onPart({ title, state: 'begun' });
    const lines = await part({
      rounds,
      photograph: values.photograph ? await readFile(values.photograph) : undefined,
      photographs: values.photographs,
      rows,
      stack: () => (starting ??= startStack()),
      progress(detail) {
        if (live) progress.onPart({ title, state: 'begun', detail });
        else if (Date.now() - lastLine > LINE_EVERY_MS) {
          lastLine = Date.now();
          progress.line(`  … ${name} ${detail}`);
        }
      },
    });
    progress.onPart({ title, state: 'done', detail: ' ' });
    for (const line of lines) console.log(line);
  }
}

function startStack(): Promise<Stack> {
  const { stop, kill } = stopping;
  return startBenchStack(process.env, {
    signal: stop,
    killSignal: kill,
    onPart: (event) => progress.onPart(event),
  });
}
