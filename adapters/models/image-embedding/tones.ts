import type { Plane } from './planes.ts';

/** Waves per side: the broad distribution of light and dark. */
const WAVES = 6;

/** The lowest frequencies of a discrete cosine transform, without the mean: 35 numbers. */
export function tones({ values, side }: Plane): number[] {
  const waves = Array.from({ length: WAVES }, (_, wave) =>
    Float32Array.from({ length: side }, (_, at) => Math.cos((Math.PI * (2 * at + 1) * wave) / (2 * side))),
  );
  const found: number[] = [];
  for (const [across, waveAcross] of waves.entries()) {
    for (const [down, waveDown] of waves.entries()) {
      if (across === 0 && down === 0) continue;
      let sum = 0;
      for (let y = 0; y < side; y++) {
        for (let x = 0; x < side; x++) {
          sum += (values[y * side + x] ?? 0) * (waveAcross[x] ?? 0) * (waveDown[y] ?? 0);
        }
      }
      found.push(Math.sign(sum) * Math.sqrt(Math.abs(sum)));
    }
  }
  return found;
}
