import { createBar } from '../shared/bar.ts';
import { readFlags, wholeNumber } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { HOSTILE_KINDS } from './hostile-files.ts';
import { ORDINARY_MEDIA } from './ordinary-files.ts';
import { report, shortfalls } from './report.ts';
import { runNoisy } from './run-noisy.ts';
import { onDisposableStack } from '../shared/on-disposable-stack.ts';

const HELP = `Usage: npm run noisy -- [options]

Measures on a disposable stack how long ordinary files of one tenant take, first alone and then while another tenant sends
hostile files of many kinds, such as nested Markdown, decompression bombs, endless pages and noise images, and a film
in 8K. A third tenant sends an image every five seconds.

  --hostile N   number of hostile files (default 200)
  --kinds A,B   their kinds (default all)
  --film N      length of the film in seconds, 0 for none (default 300)
  --ordinary N  ordinary files of each medium, in each of two rounds (default 50)
  --seed N      seed of the files and their order (default 1)
  --patience N  minutes to wait for hostile files after the last ordinary one (default 20)
  --help

Exit code: 0 the p95 of images is at most twice, and of every other medium three times its p95 alone, and every file has
ended, 1 otherwise, 2 the run could not be completed.`;
const FLAGS = {
  hostile: { type: 'string', default: '200' },
  kinds: { type: 'string', default: '' },
  film: { type: 'string', default: '300' },
  ordinary: { type: 'string', default: '50' },
  seed: { type: 'string', default: '1' },
  patience: { type: 'string', default: '20' },
} as const;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const hostile = wholeNumber('--hostile', given.values.hostile, 1, 10_000);
  const kinds = given.values.kinds.split(',').filter(Boolean);
  const unknown = kinds.find((kind) => !(kind in HOSTILE_KINDS));
  if (unknown !== undefined) {
    throw new UsageError(`unknown kind ${unknown}; choose from ${Object.keys(HOSTILE_KINDS).join(', ')}`);
  }
  const film = wholeNumber('--film', given.values.film, 0, 3_600);
  const ordinary = wholeNumber('--ordinary', given.values.ordinary, 1, 1_000);
  const seed = wholeNumber('--seed', given.values.seed, 0, 1_000_000);
  const patience = wholeNumber('--patience', given.values.patience, 0, 600);

  const env = { ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn' };
  return onDisposableStack(env, {}, async (stack, signal) => {
    const bar = createBar(process.stderr, hostile + 2 * ordinary * ORDINARY_MEDIA.length);
    const patienceMs = patience * 60_000;
    const options = { stack, env, hostile, kinds, film, ordinary, seed, bar, signal, patienceMs };
    const result = await runNoisy(options).finally(() => bar.end());
    console.log(report(result));
    return shortfalls(result).length === 0 ? 0 : 1;
  });
});
