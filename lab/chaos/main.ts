import { join } from 'node:path';
import { createFindFfmpeg } from '../../engines/video-reader/find-ffmpeg.ts';
import { FfmpegMissing } from '../../engines/video-reader/errors.ts';
import { readFlags, wholeNumber } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { createBar } from '../shared/bar.ts';
import { createDice } from '../shared/dice.ts';
import { onDisposableStack } from '../shared/on-disposable-stack.ts';
import { createClocks } from './clocks.ts';
import { createConnections } from './connections.ts';
import { fullDisks, planFaults } from './plan-faults.ts';
import { planChaos } from './plan.ts';
import { describePlan, report, reportImport } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { runImport } from './run-import.ts';
import { mountVolume } from '../shared/volume.ts';

const HELP = `Usage: npm run chaos -- [options]

Uploads images, documents, links and videos to a disposable stack, in batches, alone, directly and with the client, and
requests extractions and exports, with a webhook subscription to all events. Meanwhile it kills the API, workers, their child
processes and all servers. With every ten kills it also suspends two processes, breaks connections twice, fills the disk
once (at most twice; Linux, as root) and lets the clock of an app jump (if libfaketime is installed). Waits until all work has ended, and audits the result. A run without progress for two
minutes prints what each side waits for, and ends after five.

With --import, text files are imported from a bucket in the store of the stack instead, amid kills, suspensions and broken
connections, and each must be a file once. With --reprocess, they are imported in peace, and the faults hit their reprocessing, of
which each must have one more run.

  --files N    number of files (default 100)
  --kills N    number of kills (default 5)
  --seed N     seed of the plan (default 1)
  --import     imports files instead of uploading them
  --reprocess  processes imported files again
  --keep       keeps the data
  --help

Exit code: 0 no file, event or credit was lost or duplicated and all work has ended, 1 otherwise, 2 the run could not be
completed.`;
const FLAGS = {
  files: { type: 'string', default: '100' },
  kills: { type: 'string', default: '5' },
  seed: { type: 'string', default: '1' },
  import: { type: 'boolean', default: false },
  reprocess: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
} as const;
const MIB = 2 ** 20;
/** Size of a disk to fill: more than a run needs, since only used blocks take space. */
const DISK_BYTES = { run: 6_000 * MIB, file: 3 * MIB };
const FFMPEG_WITHIN_MS = 10 * 60_000;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const { keep } = given.values;
  const files = wholeNumber('--files', given.values.files, 1, 100_000);
  const kills = wholeNumber('--kills', given.values.kills, 0, 10_000);
  const seed = wholeNumber('--seed', given.values.seed, 0, 2 ** 32 - 1);

  const { reprocess: again } = given.values;
  if (again || given.values.import) return importAmidFaults({ files, again, kills, seed, keep });
  const videos = await hasFfmpeg();
  const volume = fullDisks(kills) > 0 ? mountVolume(DISK_BYTES.run + files * DISK_BYTES.file) : undefined;
  const clocks = createClocks();
  const impossible = [
    ...(clocks ? [] : ['clock jumps (need libfaketime)']),
    ...(fullDisks(kills) > 0 && !volume ? ['full disks (need root and mkfs.ext4 on Linux)'] : []),
    ...(videos ? [] : ['videos (need ffmpeg)']),
  ];
  const plan = planChaos({
    files,
    kills,
    seed,
    videos,
    fullDisk: volume !== undefined,
    clocks: clocks !== undefined,
  });
  console.error(`  ${describePlan(plan, seed)}`);

  const env = { ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info' };
  const connections = createConnections();
  const home = volume && { home: join(volume.folder, 'home') };
  const options = {
    keep,
    ...home,
    ...(clocks && { appEnv: clocks.appEnv }),
    connect: connections.connectApps,
  };
  try {
    return await onDisposableStack(env, options, async (stack, signal) => {
      const bar = createBar(process.stderr, files);
      const result = await runChaos({
        stack,
        env,
        plan,
        seed,
        connections,
        volume,
        clocks,
        bar,
        signal,
      }).finally(() => bar.end());
      console.log(report(result, { plan, seed, impossible }));
      return result.breaches.length === 0 ? 0 : 1;
    });
  } finally {
    await connections.close();
    clocks?.remove();
    if (!keep) volume?.unmount();
  }
});

/** Returns the exit code. */
async function importAmidFaults({
  files,
  again,
  kills,
  seed,
  keep,
}: {
  files: number;
  again: boolean;
  kills: number;
  seed: number;
  keep: boolean;
}): Promise<number> {
  const faults = planFaults(createDice(seed), { kills, fullDisk: false, clocks: false });
  const env = { ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info' };
  const connections = createConnections();
  try {
    return await onDisposableStack(env, { keep, connect: connections.connectApps }, async (stack, signal) => {
      const bar = createBar(process.stderr, files);
      const result = await runImport({ stack, env, files, again, faults, connections, bar, signal }).finally(
        () => bar.end(),
      );
      console.log(reportImport(result, { files, again, faults, seed }));
      return result.breaches.length === 0 ? 0 : 1;
    });
  } finally {
    await connections.close();
  }
}

async function hasFfmpeg(): Promise<boolean> {
  const find = createFindFfmpeg({ FFMPEG_PATH: process.env['FFMPEG_PATH'] });
  try {
    await find(AbortSignal.timeout(FFMPEG_WITHIN_MS));
    return true;
  } catch (error) {
    if (error instanceof FfmpegMissing) return false;
    throw error;
  }
}
