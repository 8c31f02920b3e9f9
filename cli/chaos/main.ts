import { parseArgs } from 'node:util';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import { createProgress } from '../../dev/launcher/progress.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { listenForStop } from '../../dev/launcher/stop-signals.ts';
import { type Bar, createBar } from './bar.ts';
import { planChaos } from './plan.ts';
import { report } from './report.ts';
import { runChaos } from './run-chaos.ts';

/**
 * `npm run chaos -- [--files 100] [--kills 5] [--seed 1] [--servers] [--keep]`: hands over files by HTTP to a stack of
 * its own while its processes are killed, waits until all has come to an end, and audits what is left. `--servers`
 * kills Postgres and S3 as well, `--keep` keeps the data. Ends with 0 when nothing was lost, doubled or left undone,
 * with 1 otherwise.
 */
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '100' },
    kills: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    servers: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const files = whole('files', values.files, 1, 100_000);
const kills = whole('kills', values.kills, 0, 10_000);
const seed = whole('seed', values.seed, 0, 2 ** 32 - 1);
const { servers, keep } = values;

const stopping = listenForStop(process.env['npm_lifecycle_event'] !== undefined);
stopping.kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));
const progress = createProgress(process.stderr);
let bar: Bar | undefined;
let stack: Stack | undefined;
process.exitCode = 1;
try {
  stack = await startDisposableStack(
    { ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info' },
    { signal: stopping.stop, killSignal: stopping.kill, onPart: (event) => progress.onPart(event) },
  );
  progress.end();
  const plan = planChaos({ files, kills, seed, servers });
  bar = createBar(process.stderr, files);
  const result = await runChaos({ stack, env: process.env, plan, seed, bar, signal: stopping.stop });
  bar.end();
  console.log(report(result, { files, seed }));
  process.exitCode = result.breaches.length === 0 ? 0 : 1;
} catch (error) {
  progress.end();
  bar?.end();
  console.error(stopping.stop.aborted ? 'Stopped before the end.' : error);
} finally {
  await stack?.stop({ keepData: keep });
  if (keep && stack) {
    console.error(`The data are kept in ${stack.home}: DARKROOM_HOME=${stack.home} npm start looks at them.`);
  }
}
// Nothing that was interrupted may keep the process.
process.exit();

function whole(name: string, given: string, least: number, most: number): number {
  const number = Number(given);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  console.error(`--${name} takes a whole number from ${least} to ${most}, not ${given}`);
  process.exit(2);
}
