import { UsageError } from '../../cli/shared/usage-error.ts';
import { numberOf, readFlags, wholeNumber } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { findingsOf, report, unjudgedIn } from './report.ts';
import { runSoak } from './run-soak.ts';
import { onDisposableStack } from '../shared/on-disposable-stack.ts';

const HELP = `Usage: npm run soak -- [options]

Measures the capacity of a disposable stack, then loads it with a third of that for a long time, with a realistic mix:
uploads of every kind, live channels, reads, searches, changes, deletions, purges. Prints the resource usage of every
process each minute, and at the end the slope of its memory after the warm-up. Linux only.

  --minutes N  duration of the load after the capacity measurement, such as 60 or 0.5 (default 60)
  --measure N  seconds of the capacity measurement, after a warm-up of half that time (default 60)
  --warm-up N  minutes that are excluded from the slope (default 20)
  --seed N     seed of the load (default 1)
  --keep       keeps the data and the logs
  --help

Exit code: 0 the memory of each process rises by at most 1 MB an hour, and no request failed; 1 otherwise, also if the run
was too short to judge a process; 2 the run could not be completed; Ctrl-C prints the results until then.`;
const FLAGS = {
  minutes: { type: 'string', default: '60' },
  measure: { type: 'string', default: '60' },
  'warm-up': { type: 'string', default: '20' },
  seed: { type: 'string', default: '1' },
  keep: { type: 'boolean', default: false },
} as const;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const minutes = numberOf('--minutes', given.values.minutes, 0.1, 7 * 24 * 60);
  const measureSeconds = wholeNumber('--measure', given.values.measure, 1, 3600);
  const warmUpMinutes = wholeNumber('--warm-up', given.values['warm-up'], 0, 7 * 24 * 60);
  const seed = wholeNumber('--seed', given.values.seed, 0, 2 ** 32 - 1);
  const { keep } = given.values;
  if (process.platform !== 'linux')
    throw new UsageError('The soak test reads the memory of processes from /proc, which only Linux has.');

  const env = { ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info' };
  return onDisposableStack(env, { keep }, async (stack, signal) => {
    const outcome = await runSoak({
      stack,
      measureSeconds,
      minutes,
      warmUpMinutes,
      seed,
      env,
      signal,
      print: (text) => console.log(text),
    });
    console.log(report(outcome));
    signal.throwIfAborted();
    return findingsOf(outcome).length + unjudgedIn(outcome).length === 0 ? 0 : 1;
  });
});
