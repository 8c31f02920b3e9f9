import { unit } from '../../../domain/similarity.ts';
import { ModelError } from '../model-error.ts';
import { SEEN_VARIANT, type Sight } from '../sight/sight.ts';
import type { ImageEmbedding } from './image-embedding.ts';

/** The features by which the classifier of images tells its classes apart, alone: while the models for texts are missing. */
export function createFeatureEmbedding(sight: Sight): ImageEmbedding {
  return {
    model: 'efficientnet-lite2-v1',
    dimension: 1280,
    variant: SEEN_VARIANT,
    isFast: false,
    async embed(images, { signal }) {
      const vectors: (number[] | null)[] = [];
      for (const image of images) {
        const seen = await sight.recall(image, { signal });
        if (seen === undefined) throw new ModelError('MODEL_UNAVAILABLE', 'the image model does not run');
        vectors.push(seen && unit([...seen.features]));
      }
      return vectors;
    },
    close: () => sight.close(),
  };
}
