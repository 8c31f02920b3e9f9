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
  embedding: Pick<ImageEmbedding, 'model' | 'embedText'>;
  vectors: VectorIndex;
}

/**
 * The model and the vectors that searches use, see createServedModel. A former model is not opened: images are compared with
 * its vectors, texts are not.
 */
export function createServedImages({
  em,
  configured,
  openIndex,
}: {
  em: () => EntityManager;
  configured: ImageEmbedding;
  openIndex: OpenIndex;
}) {
  const own = imageCollection(configured);
  return createServedModel<ServedImages>({
    em,
    indexName: IMAGE_VECTORS.indexName,
    configured: { collection: own.collection, model: { embedding: configured, vectors: openIndex(own) } },
    openFormer: (former) => ({
      embedding: { model: String(former.settings['model']) },
      vectors: openIndex(former),
    }),
    closeFormer: ({ vectors }) => vectors.close(),
  });
}
