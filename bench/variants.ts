/**
 * V1: what four variants and a blur hash cost beside one bare sharp call, and whether they look the same.
 * Alone: `node bench/variants.ts [photograph.jpg]`; without a photograph, 24 megapixels are painted.
 */
import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { createImageDecoder } from '../adapters/image-decoder/image-decoder.ts';
import { renderImage } from '../adapters/image-decoder/render-image.ts';
import { VARIANTS } from '../domain/variants.ts';
import { ssim, type Luma } from './ssim.ts';

const ROUNDS = 9;
const PEER = `peer sharp ${sharp.versions.sharp}`;
const LARGEST = Math.max(...VARIANTS.map(({ maxDimension }) => maxDimension));

/** Milliseconds of one run, on the clock and on all cores. */
interface Cost {
  wall: number;
  cpu: number;
}

/** @returns one line for each figure, with its goal */
export async function run(photograph?: Uint8Array): Promise<string[]> {
  // As in the decoder's processes; the peer runs under the same settings.
  sharp.concurrency(1);
  sharp.cache(false);
  const original = photograph ?? (await paintPhotograph());
  const decoder = createImageDecoder({ slots: 1 });
  const timing = interleave(ROUNDS, {
    ours: () => renderImage(original),
    inChild: () => decoder.render(original, { label: 'file/bench' }),
    largest: () => bare(original, LARGEST).toBuffer(),
    oneByOne: async () => {
      for (const { maxDimension } of VARIANTS) await bare(original, maxDimension).toBuffer();
    },
  });
  const costs = await timing.finally(() => void decoder.close());
  const { width, height } = await sharp(original).metadata();
  return [
    `V1 input: ${photograph ? 'photograph' : 'painted'} ${width} × ${height}, ${(original.length / 1e6).toFixed(1)} MB`,
    `V1 four variants + blur hash / largest alone: ${ratio(costs.ours, costs.largest, 'wall')}, goal ≤ 1.35, ${PEER}`,
    `V1 the same in processor time: ${ratio(costs.ours, costs.largest, 'cpu')}, ${PEER}`,
    `V1 one decode per variant / four variants + blur hash: ${ratio(costs.oneByOne, costs.ours, 'wall')}, goal ≥ 2, ${PEER}`,
    `V1 in a child process / in this one: ${ratio(costs.inChild, costs.ours, 'wall')}, ${spread(differences(costs.inChild, costs.ours))} ms added`,
    ...(await compareLooks(original)),
  ];
}

/** The peer: what one would write with sharp alone, in the format that opaque variants have. */
function bare(original: Uint8Array, maxDimension: number): Sharp {
  return bound(sharp(original).autoOrient(), maxDimension).jpeg({ quality: 80 });
}

function bound(picture: Sharp, maxDimension: number): Sharp {
  return picture.resize(maxDimension, maxDimension, { fit: 'inside', withoutEnlargement: true });
}

/** Each variant beside the peer's picture of that size, and both beside a resize of the whole decoded picture. */
async function compareLooks(original: Uint8Array): Promise<string[]> {
  const { variants } = await renderImage(original);
  const { data, info } = await sharp(original).autoOrient().raw().toBuffer({ resolveWithObject: true });
  const lines: string[] = [];
  for (const { type, maxDimension } of VARIANTS) {
    const ours = await luma(sharp(variants.find((variant) => variant.type === type)?.bytes));
    const peers = await luma(sharp(await bare(original, maxDimension).toBuffer()));
    const truth = await luma(
      sharp(
        await bound(sharp(data, { raw: info }), maxDimension)
          .png()
          .toBuffer(),
      ),
    );
    const beside = `to the whole decode: ours ${ssim(ours, truth).toFixed(4)}, theirs ${ssim(peers, truth).toFixed(4)}`;
    lines.push(`V1 SSIM of ${type}: ${ssim(ours, peers).toFixed(4)}, goal ≥ 0.98, ${PEER} (${beside})`);
  }
  return lines;
}

async function luma(picture: Sharp): Promise<Luma> {
  const { data, info } = await picture.greyscale().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Runs all contenders in turn, round after round, so that a change of the machine's mood meets each; the first round warms up. */
async function interleave<Name extends string>(
  rounds: number,
  contenders: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, Cost[]>> {
  const names = Object.keys(contenders) as Name[];
  const costs = Object.fromEntries(names.map((name) => [name, [] as Cost[]])) as Record<Name, Cost[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const cost = await time(contenders[name]);
      if (round > 0) costs[name].push(cost);
    }
  }
  return costs;
}

async function time(work: () => Promise<unknown>): Promise<Cost> {
  const [started, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { wall: performance.now() - started, cpu: (user + system) / 1000 };
}

function ratio(ours: Cost[], theirs: Cost[], kind: keyof Cost): string {
  return spread(
    ours.map((cost, round) => cost[kind] / (theirs[round]?.[kind] ?? NaN)),
    2,
  );
}

function differences(ours: Cost[], theirs: Cost[]): number[] {
  return ours.map((cost, round) => cost.wall - (theirs[round]?.wall ?? NaN));
}

/** Median, lowest and highest. */
function spread(values: number[], digits = 0): string {
  const sorted = values.toSorted((a, b) => a - b);
  const shown = [sorted[sorted.length >> 1], sorted[0], sorted.at(-1)].map((value) => value?.toFixed(digits));
  return `${shown[0]} (${shown[1]}–${shown[2]})`;
}

/** 6000 × 4000: soft light, some hard edges, and noise as a sensor makes it. */
async function paintPhotograph(): Promise<Uint8Array> {
  const [width, height] = [6000, 4000];
  const pixels = new Uint8ClampedArray(width * height * 3);
  let state = 1;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 3) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const noise = (state >>> 27) - 16;
      const ripple = 40 * Math.sin(x / 37) * Math.cos(y / 53);
      const shade = ((x >> 8) ^ (y >> 8)) & 1 ? 30 : 0;
      pixels[at] = (x * 200) / width + ripple + noise;
      pixels[at + 1] = (y * 200) / height + shade + noise;
      pixels[at + 2] = 180 - ripple - shade + noise;
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

if (import.meta.main) {
  const path = process.argv[2];
  for (const line of await run(path ? await readFile(path) : undefined)) console.log(line);
}
