import type { Raster } from '../raster.ts';

/**
 * Share of pixels (0–1) exactly like their right and lower neighbours. Drawings, charts and screenshots have areas of one
 * colour; sensor noise leaves a photograph almost none, even where it looks even.
 */
export function flatShare({ data, width, height, channels }: Raster): number {
  const compared = (width - 1) * (height - 1);
  let flat = 0;
  for (let y = 0; y < height - 1; y++) {
    for (let x = 0; x < width - 1; x++) {
      const at = (y * width + x) * channels;
      if (
        samePixel(data, at, at + channels, channels) &&
        samePixel(data, at, at + width * channels, channels)
      )
        flat += 1;
    }
  }
  return compared > 0 ? flat / compared : 1;
}

function samePixel(data: Uint8Array, one: number, other: number, channels: number): boolean {
  for (let channel = 0; channel < channels; channel++)
    if (data[one + channel] !== data[other + channel]) return false;
  return true;
}
