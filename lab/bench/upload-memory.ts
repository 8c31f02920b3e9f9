import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { BenchContext } from './context.ts';
import { emptyBucket } from './bench-stack.ts';
import { interleave, ratios, spread, goalResult } from './statistics.ts';
import { MIB, chunked, createUploadClient, paddedPhotograph } from './upload-client.ts';

const FLIGHT = 20;
const LARGE = 100 * MIB;
const SMALL = 20 * MIB;
/** Rate of each concurrent upload: at ten seconds each, none ends before the last has started. */
const PACE = 10 * MIB;
const SAMPLE_MS = 20;

/** P2: memory growth of an API process while it receives uploads. Each figure is from a fresh process. */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  if (process.platform !== 'linux') return ['P2 skipped: it reads the memory of another process from /proc'];
  const stack = await startStack();
  const objects = createS3ObjectStore(s3Config.parse(stack.env));
  const file = paddedPhotograph(LARGE);
  const [large, small] = [file, file.subarray(0, SMALL)];

  const growth = async (count: number, bytes: Buffer, pace: number) => {
    const grown = await growthOfFreshApi(stack, count, bytes, pace);
    await emptyBucket(objects);
    return grown;
  };
  const { many, one, fifth } = await interleave(
    rounds,
    {
      many: () => growth(FLIGHT, large, PACE),
      one: () => growth(1, large, Infinity),
      fifth: () => growth(1, small, Infinity),
    },
    (turn) => progress(turn),
  );
  const ratio = ratios(one, fifth);
  return [
    `P2 growth of the API's RSS with ${FLIGHT} × ${LARGE / MIB} MiB in flight: ${spread(many)} MiB, ${goalResult(many, { most: 264 })}`,
    `P2 growth with one file of ${LARGE / MIB} MiB / of ${SMALL / MIB} MiB: ${spread(ratio, 2)}, ${goalResult(ratio, { most: 1.2 })}`,
    `P2 … ${spread(one)} MiB and ${spread(fifth)} MiB`,
  ];
}

/** Peak minus initial resident memory in MiB of an API process, after one small upload as warm-up. */
async function growthOfFreshApi(stack: Stack, count: number, bytes: Buffer, pace: number): Promise<number> {
  await stack.restart('api');
  const client = createUploadClient(stack);
  try {
    await client.upload(chunked(bytes.subarray(0, MIB)), MIB);
    const pid = stack.pid('api') ?? NaN;
    const start = residentMib(pid);
    let peak = start;
    let sending = 0;
    let mostSending = 0;
    const uploads = Array.from({ length: count }, async () => {
      const source = chunked(bytes, pace);
      source.once('data', () => (mostSending = Math.max(mostSending, ++sending)));
      source.once('end', () => sending--);
      await client.upload(source, bytes.length);
    });
    const over = Promise.all(uploads).then(() => true);
    while (!(await Promise.race([over, delay(SAMPLE_MS, false)]))) peak = Math.max(peak, residentMib(pid));
    if (mostSending < count)
      throw new Error(`only ${mostSending} of ${count} uploads were in flight at once`);
    return peak - start;
  } finally {
    client.close();
  }
}

/** Resident memory of a process, in MiB. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
