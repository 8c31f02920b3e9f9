import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import { createProgress } from '../../dev/launcher/progress.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { listenForStop } from '../../dev/launcher/stop-signals.ts';
import { type Bar, createBar } from '../shared/bar.ts';
import { planChaos } from './plan.ts';
import { report } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { CannotBegin } from '../shared/cannot-begin.ts';
import { readFlags, wholeNumber } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';

const HELP = `Usage: npm run chaos -- [options]

Uploads files to a disposable stack while its processes are killed, waits until every file has ended, and audits the
result.

  --files N    number of files (default 100)
  --kills N    number of kills (default 5)
  --seed N     seed of the plan (default 1)
  --servers    also kills Postgres and S3
  --keep       keeps the data
  --help

Exit code: 0 no file was lost, duplicated or left unfinished, 1 some were, 2 the run could not be completed.`;
const FLAGS = {
  files: { type: 'string', default: '100' },
  kills: { type: 'string', default: '5' },
  seed: { type: 'string', default: '1' },
  servers: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
} as const;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const { servers, keep } = given.values;
  const files = wholeNumber('--files', given.values.files, 1, 100_000);
  const kills = wholeNumber('--kills', given.values.kills, 0, 10_000);
  const seed = wholeNumber('--seed', given.values.seed, 0, 2 ** 32 - 1);

  const stopping = listenForStop(process.env['npm_lifecycle_event'] !== undefined);
  stopping.kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));
  const progress = createProgress(process.stderr);
  let bar: Bar | undefined;
  let stack: Stack | undefined;
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
    console.log(report(result, { files, kills, seed }));
    return result.breaches.length === 0 ? 0 : 1;
  } catch (error) {
    progress.end();
    bar?.end();
    if (!stopping.stop.aborted) throw error;
    throw new CannotBegin('Stopped before the run was complete.');
  } finally {
    await stack?.stop({ keepData: keep });
    if (keep && stack) {
      console.error(
        `The data is kept in ${stack.home}; to inspect it, run DARKROOM_HOME=${stack.home} npm start.`,
      );
    }
  }
});
