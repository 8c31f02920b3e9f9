import { toOklab } from '../../../engines/oklab.ts';
import type { VariantType } from '../../../domain/image-analysis.ts';
import { readVariant } from '../read-variant.ts';

/** One value per pixel of a square image, row by row. */
export interface Plane {
  values: Float32Array;
  side: number;
}

/** An image in Oklab, squeezed into a square, so that similarity survives a change of aspect ratio. */
export interface Planes {
  lightness: Plane;
  greenRed: Plane;
  blueYellow: Plane;
}

/** Fine enough for the texture of an image, coarse enough to ignore its size and compression. */
const SIDE = 64;

/** Null for an image that cannot be read. */
export async function readPlanes(image: Uint8Array, type: VariantType): Promise<Planes | null> {
  const pixels = await readVariant(image, type, (pipeline) =>
    pipeline.resize(SIDE, SIDE, { fit: 'fill' }).raw().toBuffer(),
  );
  if (!pixels) return null;
  const plane = (): Plane => ({ values: new Float32Array(SIDE * SIDE), side: SIDE });
  const [lightness, greenRed, blueYellow] = [plane(), plane(), plane()];
  for (let at = 0; at < SIDE * SIDE; at++) {
    // Creating a view per pixel would cost more than its conversion.
    const [red, green, blue] = [pixels[at * 3] ?? 0, pixels[at * 3 + 1] ?? 0, pixels[at * 3 + 2] ?? 0];
    [lightness.values[at], greenRed.values[at], blueYellow.values[at]] = toOklab([red, green, blue]);
  }
  return { lightness, greenRed, blueYellow };
}

/** With mean 0 and deviation 1, so that exposure and contrast do not matter; a flat plane stays flat. */
export function normalise({ values, side }: Plane): Plane {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const scale = 1 / (Math.sqrt(variance) + 0.02);
  return { values: values.map((value) => (value - mean) * scale), side };
}

/** Averages square blocks of pixels. `side` divides the plane's. */
export function shrink(plane: Plane, side: number): Plane {
  const block = plane.side / side;
  const values = new Float32Array(side * side);
  for (let y = 0; y < plane.side; y++) {
    for (let x = 0; x < plane.side; x++) {
      const target = Math.floor(y / block) * side + Math.floor(x / block);
      values[target] = (values[target] ?? 0) + (plane.values[y * plane.side + x] ?? 0) / block ** 2;
    }
  }
  return { values, side };
}
