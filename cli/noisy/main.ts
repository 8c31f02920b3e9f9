import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import { createProgress } from '../../dev/launcher/progress.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { listenForStop } from '../../dev/launcher/stop-signals.ts';
import { type Bar, createBar } from '../shared/bar.ts';
import { CannotBegin } from '../shared/cannot-begin.ts';
import { readFlags, wholeNumber } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';
import { ORDINARY_MEDIA } from './ordinary-files.ts';
import { report, shortfalls } from './report.ts';
import { runNoisy } from './run-noisy.ts';

const HELP = `Usage: npm run noisy -- [options]

Measures, on a disposable stack, how long ordinary files of one tenant take alone, and how long while another tenant sends
hostile files of twenty kinds: nested Markdown, bombs, pages without end, pictures of noise.

  --hostile N   number of hostile files (default 200)
  --ordinary N  ordinary files of each medium, in each of two rounds (default 50)
  --seed N      seed of the files and their order (default 1)
  --patience N  minutes that hostile files may take beyond the ordinary ones (default 20)
  --help

Exit code: 0 the p95 of every medium is at most three times what it is alone and every file has ended, 1 it is not, 2 the
run could not be completed.`;
const FLAGS = {
  hostile: { type: 'string', default: '200' },
  ordinary: { type: 'string', default: '50' },
  seed: { type: 'string', default: '1' },
  patience: { type: 'string', default: '20' },
} as const;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const hostile = wholeNumber('--hostile', given.values.hostile, 1, 10_000);
  const ordinary = wholeNumber('--ordinary', given.values.ordinary, 1, 1_000);
  const seed = wholeNumber('--seed', given.values.seed, 0, 1_000_000);
  const patience = wholeNumber('--patience', given.values.patience, 0, 600);

  const stopping = listenForStop(process.env['npm_lifecycle_event'] !== undefined);
  stopping.kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));
  const progress = createProgress(process.stderr);
  let bar: Bar | undefined;
  let stack: Stack | undefined;
  try {
    stack = await startDisposableStack(
      { ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn' },
      { signal: stopping.stop, killSignal: stopping.kill, onPart: (event) => progress.onPart(event) },
    );
    progress.end();
    bar = createBar(process.stderr, hostile + 2 * ordinary * ORDINARY_MEDIA.length);
    const result = await runNoisy({
      stack,
      env: process.env,
      hostile,
      ordinary,
      seed,
      bar,
      signal: stopping.stop,
      patienceMs: patience * 60_000,
    });
    bar.end();
    console.log(report(result));
    return shortfalls(result).length === 0 ? 0 : 1;
  } catch (error) {
    progress.end();
    bar?.end();
    if (!stopping.stop.aborted) throw error;
    throw new CannotBegin('Stopped before the run was complete.');
  } finally {
    await stack?.stop({ keepData: false });
  }
});
