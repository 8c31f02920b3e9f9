import { unit } from '../../../domain/similarity.ts';
import { colourGrid, edges, palette, texture, tones } from './features.ts';
import type { ImageEmbedding } from './image-embedding.ts';
import { normalise, readPlanes, shrink } from './planes.ts';

/** The descriptor, which needs no model. */
export const LOCAL_IMAGE_MODEL = { model: 'local-v1', dimension: 414 } as const;
const VARIANT = 'small_256';

/**
 * A measured, not learned, descriptor: edges, distribution of light, colours and textures. It finds cropped, scaled,
 * recoloured or recompressed copies of an image, but does not recognise its subject.
 *
 * Each part has mean 0 and length 1, so that only its weight determines its influence. The weights were chosen with
 * lab/bench/similar.ts: colours have little weight, because a recoloured copy is still a copy.
 */
export function createLocalEmbedding(): ImageEmbedding {
  return {
    ...LOCAL_IMAGE_MODEL,
    variant: VARIANT,
    isFast: true,
    embed: (images) => Promise.all(images.map(describe)),
    close: () => Promise.resolve(),
  };
}

async function describe(image: Uint8Array): Promise<number[] | null> {
  const planes = await readPlanes(image, VARIANT);
  if (!planes) return null;
  const light = normalise(planes.lightness);
  return unit([
    ...part(1, edges(light, 4)),
    ...part(1, edges(shrink(light, 32), 4)),
    ...part(0.5, edges(shrink(light, 16), 2)),
    ...part(0.3, tones(light)),
    ...part(0.6, texture(light)),
    ...part(0.4, palette(planes)),
    ...part(0.25, colourGrid(planes)),
  ]);
}

function part(weight: number, values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return unit(values.map((value) => value - mean)).map((value) => value * weight);
}
