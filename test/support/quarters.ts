import assert from 'node:assert/strict';
import sharp from 'sharp';
import { CORNERS } from './sample-images.ts';

type Colour = readonly number[];

/** Checks the four quadrants of a rendering of `quarters()`: each channel may be off by so much. */
export async function assertQuarters(
  rendered: Uint8Array,
  off: number,
  expected: readonly Colour[] = Object.values(CORNERS),
): Promise<void> {
  const { data, info } = await sharp(rendered).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const places = [0.2, 0.8].flatMap((down) => [0.2, 0.8].map((across) => ({ across, down })));
  const seen = places.map(({ across, down }) => {
    const pixel = Math.floor(info.height * down) * info.width + Math.floor(info.width * across);
    return [...data.subarray(pixel * info.channels, pixel * info.channels + 3)];
  });
  const most = Math.max(
    ...seen.flatMap((colour, at) => colour.map((value, c) => Math.abs(value - (expected[at]?.[c] ?? -999)))),
  );
  assert.ok(most <= off, `${JSON.stringify(seen)} for ${JSON.stringify(expected)}`);
}
