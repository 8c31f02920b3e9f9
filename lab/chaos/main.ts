import { createBar } from '../shared/bar.ts';
import { planChaos } from './plan.ts';
import { report } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { readFlags, wholeNumber } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { onDisposableStack } from '../shared/on-disposable-stack.ts';

const HELP = `Usage: npm run chaos -- [options]

Uploads files to a disposable stack while its processes are killed, with a webhook subscription to all events. Waits until
every file has ended and every event is delivered, and audits the result.

  --files N    number of files (default 100)
  --kills N    number of kills (default 5)
  --seed N     seed of the plan (default 1)
  --servers    also kills Postgres and S3
  --keep       keeps the data
  --help

Exit code: 0 no file or event was lost, duplicated or left unfinished, 1 some were, 2 the run could not be completed.`;
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

  const env = { ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info' };
  return onDisposableStack(env, { keep }, async (stack, signal) => {
    const plan = planChaos({ files, kills, seed, servers });
    const bar = createBar(process.stderr, files);
    const result = await runChaos({ stack, env, plan, seed, bar, signal }).finally(() => bar.end());
    console.log(report(result, { files, kills, seed }));
    return result.breaches.length === 0 ? 0 : 1;
  });
});
