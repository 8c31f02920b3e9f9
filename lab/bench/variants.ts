import sharp, { type Sharp } from 'sharp';
import { createImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import { renderImage } from '../../engines/image-decoder/render-image.ts';
import { VARIANTS } from '../../domain/image-analysis.ts';
import type { BenchContext } from './context.ts';
import { goalResult, interleave, ratios, spread } from './statistics.ts';

const PEER = `sharp ${sharp.versions.sharp}`;
const LARGEST = Math.max(...VARIANTS.map(({ maxDimension }) => maxDimension));
const LIKENESS = { least: 0.98 };

/** Milliseconds of one run: wall-clock time, and CPU time over all cores. */
interface Cost {
  wall: number;
  cpu: number;
}

/**
 * V1: the cost of four variants and a blur hash compared with one bare sharp call, and the similarity of the results.
 * Without a photograph, an image of 24 megapixels is generated.
 */
export async function run({ rounds, photograph, progress }: BenchContext): Promise<string[]> {
  // The settings of the decoder processes, also for the peer.
  sharp.concurrency(1);
  sharp.cache(false);
  const original = photograph ?? (await paintPhotograph());
  const decoder = createImageDecoder({ slots: 1 });
  const timing = interleave(
    rounds,
    {
      ours: () => cost(() => renderImage(original)),
      inChild: () => cost(() => decoder.render(original, { tenantId: 'one', label: 'file/bench' })),
      largest: () => cost(() => bare(original, LARGEST).toBuffer()),
      oneByOne: () =>
        cost(async () => {
          for (const { maxDimension } of VARIANTS) await bare(original, maxDimension).toBuffer();
        }),
    },
    progress,
  );
  const { ours, inChild, largest, oneByOne } = await timing.finally(() => void decoder.close());
  const { width, height } = await sharp(original).metadata();
  const added = wall(inChild).map((elapsed, round) => elapsed - (wall(ours)[round] ?? NaN));
  const beside = ratios(wall(ours), wall(largest));
  const saved = ratios(wall(oneByOne), wall(ours));
  return [
    `V1 input: ${photograph ? 'photograph' : 'generated'} ${width} × ${height}, ${(original.length / 1e6).toFixed(1)} MB`,
    `V1 four variants + blur hash / largest alone with ${PEER}: ${spread(beside, 2)}, ${goalResult(beside, { most: 1.35 })}`,
    `V1 … in CPU time: ${spread(ratios(cpu(ours), cpu(largest)), 2)}`,
    `V1 one decode per variant with ${PEER} / four variants + blur hash: ${spread(saved, 2)}, ${goalResult(saved, { least: 2 })}`,
    `V1 … in a child process / in this one: ${spread(ratios(wall(inChild), wall(ours)), 2)}, ${spread(added)} ms added`,
    ...(await compareLooks(original)),
  ];
}

const wall = (costs: Cost[]) => costs.map((one) => one.wall);
const cpu = (costs: Cost[]) => costs.map((one) => one.cpu);

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const [started, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { wall: performance.now() - started, cpu: (user + system) / 1000 };
}

/** The peer: sharp alone, with the output format of opaque variants. */
function bare(original: Uint8Array, maxDimension: number): Sharp {
  return bound(sharp(original).autoOrient(), maxDimension).jpeg({ quality: 80 });
}

function bound(image: Sharp, maxDimension: number): Sharp {
  return image.resize(maxDimension, maxDimension, { fit: 'inside', withoutEnlargement: true });
}

/** Compares each variant with the peer's image of that size, and both with a resize of the fully decoded image. */
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
    const beside = `to a full decode: ours ${ssim(ours, truth).toFixed(4)}, theirs ${ssim(peers, truth).toFixed(4)}`;
    const likeness = ssim(ours, peers);
    lines.push(
      `V1 SSIM of ${type}, ours and ${PEER}: ${likeness.toFixed(4)} (${beside}), ${goalResult([likeness], LIKENESS)}`,
    );
  }
  return lines;
}

async function luma(image: Sharp): Promise<Luma> {
  const { data, info } = await image.greyscale().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Generates 6000 × 4000 pixels of gradients, some hard edges, and sensor noise. */
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

/** An 8-bit grey image, row by row. */
interface Luma {
  data: Uint8Array;
  width: number;
  height: number;
}

const WINDOW = 8;
const STEP = 4;
/** The constants of Wang et al. (2004) for 8 bits. */
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/**
 * Mean structural similarity of two images of equal size, 1 if identical. Uniform 8 × 8 windows that overlap by half.
 */
function ssim(one: Luma, other: Luma): number {
  if (one.width !== other.width || one.height !== other.height)
    throw new RangeError('SSIM needs equal sizes.');
  let sum = 0;
  let windows = 0;
  for (let y = 0; y + WINDOW <= one.height; y += STEP) {
    for (let x = 0; x + WINDOW <= one.width; x += STEP) {
      sum += windowSsim(one, other, x, y);
      windows += 1;
    }
  }
  return sum / windows;
}

function windowSsim(one: Luma, other: Luma, left: number, top: number): number {
  const [n, a, b] = [WINDOW * WINDOW, one.data, other.data];
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0];
  for (let y = top; y < top + WINDOW; y++) {
    for (let at = y * one.width + left; at < y * one.width + left + WINDOW; at++) {
      const [valueA, valueB] = [a[at] ?? 0, b[at] ?? 0];
      sumA += valueA;
      sumB += valueB;
      squaresA += valueA * valueA;
      squaresB += valueB * valueB;
      products += valueA * valueB;
    }
  }
  const [meanA, meanB] = [sumA / n, sumB / n];
  const varianceA = squaresA / n - meanA * meanA;
  const varianceB = squaresB / n - meanB * meanB;
  const covariance = products / n - meanA * meanB;
  return (
    ((2 * meanA * meanB + C1) * (2 * covariance + C2)) /
    ((meanA * meanA + meanB * meanB + C1) * (varianceA + varianceB + C2))
  );
}
