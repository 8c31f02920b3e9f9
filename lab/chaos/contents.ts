import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { createDice } from '../shared/dice.ts';

const SIDE = 64;
/** Two parts: one of 5 MiB, the minimum part size, and a short one. */
const LARGE_BYTES = 5 * 1024 * 1024 + 300_000;

export interface Content {
  bytes: Buffer<ArrayBuffer>;
  sha256: string;
}

/**
 * A 64 × 64 PNG of coarse noise, different for every index and seed.
 *
 * @param large appends bytes, which image readers ignore, so that the file is large enough for a multipart upload
 */
export async function paintContent(seed: number, index: number, large: boolean): Promise<Content> {
  const dice = createDice(Math.imul(seed, 1_000_003) + index);
  const squares = 8;
  const pixels = Uint8Array.from({ length: squares * squares * 3 }, () => dice.whole(0, 255));
  const png = await sharp(pixels, { raw: { width: squares, height: squares, channels: 3 } })
    .resize(SIDE, SIDE, { kernel: 'nearest' })
    .png()
    // The noise may repeat; this name does not.
    .withExif({ IFD0: { ImageDescription: `chaos ${seed}/${index}` } })
    .toBuffer();
  const bytes = Buffer.concat(large ? [png, Buffer.alloc(LARGE_BYTES - png.length, index % 251)] : [png]);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
