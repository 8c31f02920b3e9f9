import { IMAGE_COLLECTION } from '../../../domain/search.ts';
import { colourGrid, edges, palette, texture, tones } from './features.ts';
import { normalise, readPlanes, shrink } from './planes.ts';

/** Turns images into vectors that are close together for images that look alike. */
export interface ImageEmbedding {
  /** Identifies the vectors: those of two models are not comparable. */
  model: string;
  dimension: number;
  /**
   * @param image encoded by this system, 256 pixels suffice; untrusted bytes belong in a decoder child
   * @returns a unit vector, or zeros for an image without any feature
   */
  embed(image: Uint8Array): Promise<number[]>;
}

/**
 * A measured, not learned, descriptor: edges, distribution of light, colours and textures. It finds cropped, scaled,
 * recoloured or recompressed copies of an image, but does not recognise its subject.
 *
 * Each part has mean 0 and length 1, so that only its weight determines its influence. The weights were chosen with
 * lab/bench/similar.ts: colours have little weight, because a recoloured copy is still a copy.
 */
export function createLocalEmbedding(): ImageEmbedding {
  return {
    model: IMAGE_COLLECTION.model,
    dimension: IMAGE_COLLECTION.dimension,
    async embed(image) {
      const planes = await readPlanes(image);
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
    },
  };
}

function part(weight: number, values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return unit(values.map((value) => value - mean)).map((value) => value * weight);
}

function unit(values: readonly number[]): number[] {
  const length = Math.hypot(...values);
  // A part without any feature has only rounding errors left.
  return length < 1e-6 ? values.map(() => 0) : values.map((value) => value / length);
}
