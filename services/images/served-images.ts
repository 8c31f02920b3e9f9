import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageEmbedding } from '../../adapters/models/image-embedding/image-embedding.ts';
import { collectionName } from '../../adapters/vector-index/config.ts';
import type { VectorCollection, VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { createServedModel, type OpenIndex, type VectorKind } from '../media/vector-collections.ts';

/** Vectors of images. No row says which collection has that of an image. */
export const IMAGE_VECTORS: VectorKind = { indexName: 'images', isElsewhere: 'false' };

/** The vector collection of a model for images. */
export function imageCollection({
  model,
  dimension,
}: Pick<ImageEmbedding, 'model' | 'dimension'>): VectorCollection {
  return { collection: collectionName('image', model, dimension), dimension };
}

/** What searches need of a model for images, and the vectors that it made. */
export interface ServedImages {
  embedding: Pick<ImageEmbedding, 'model' | 'embedText' | 'mostSimilar' | 'near'> &
    Partial<Pick<ImageEmbedding, 'close'>>;
  vectors: VectorIndex;
}

/**
 * The model and the vectors that searches use, see createServedModel. A former model is not opened, unless it is the service's
 * own, which may have come after this process: images are compared with its vectors, texts are not.
 */
export function createServedImages({
  em,
  configured,
  openIndex,
  openModel,
}: {
  em: () => EntityManager;
  configured: ImageEmbedding;
  openIndex: OpenIndex;
  /** @returns undefined for a model that is not the service's own, or not there yet; asked again until it is */
  openModel: (model: string) => ImageEmbedding | undefined;
}) {
  const own = imageCollection(configured);
  return createServedModel<ServedImages>({
    em,
    indexName: IMAGE_VECTORS.indexName,
    configured: { collection: own.collection, model: { embedding: configured, vectors: openIndex(own) } },
    openFormer: (former) => {
      const model = String(former.settings['model']);
      let opened: ImageEmbedding | undefined;
      return {
        // Its files may come at any time, as the look at a few folders by each search finds.
        get embedding() {
          return (opened ??= openModel(model)) ?? { model };
        },
        vectors: openIndex(former),
      };
    },
    async closeFormer({ embedding, vectors }) {
      await vectors.close();
      await embedding.close?.();
    },
  });
}
