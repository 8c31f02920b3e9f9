import { unit } from '../../../domain/similarity.ts';
import { ModelError } from '../model-error.ts';
import type { Sight } from '../sight/sight.ts';
import type { ImageEmbedding } from './image-embedding.ts';

/** That of descriptions, after which it has been seen. */
const VARIANT = 'large_1024';

/** The features by which the classifier of images tells its classes apart, alone: while the models for texts are missing. */
export function createFeatureEmbedding(sight: Sight): ImageEmbedding {
  return {
    model: 'efficientnet-lite2-v1',
    dimension: 1280,
    variant: VARIANT,
    isFast: false,
    async embed(images, { signal }) {
      const vectors: (number[] | null)[] = [];
      for (const image of images) {
        const seen = await sight.see(image, VARIANT, { signal });
        if (seen === undefined) throw new ModelError('MODEL_UNAVAILABLE', 'the image model does not run');
        vectors.push(seen && unit([...seen.features]));
      }
      return vectors;
    },
    close: () => sight.close(),
  };
}
