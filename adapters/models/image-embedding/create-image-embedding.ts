import { ConfigError } from '../../../domain/schemas/read-config.ts';
import { unit } from '../../../domain/similarity.ts';
import { findSentenceModels } from '../../../engines/models/catalogue.ts';
import { modelsFolder, type OnnxConfig } from '../../../engines/onnx/config.ts';
import { OnnxModelError } from '../../../engines/onnx/open-model.ts';
import { ModelError } from '../model-error.ts';
import { createSight, SEEN_VARIANT, type Sight } from '../sight/sight.ts';
import { createPairedTextEmbedding } from '../text-embedding/local-text-embedding.ts';
import { PAIR } from '../text-embedding/paired-models.ts';
import type { TextEmbedding } from '../text-embedding/text-embedding.ts';
import type { ImageEmbeddingConfig } from './config.ts';
import { createEndpointImageEmbedding } from './endpoint-image-embedding.ts';
import type { ImageEmbedding } from './image-embedding.ts';
import { createLocalEmbedding } from './local-embedding.ts';
import { openImagePair } from './onnx-image-embedding.ts';
import { createSightEmbedding } from './sight-embedding.ts';

interface OwnModels {
  sight?: Sight;
  texts?: TextEmbedding;
}

/** The service's own models for images and texts; undefined unless all are there. Takes what {@link createImageEmbedding} does. */
export function openOwnModel(
  config: OnnxConfig,
  { sight = createSight(config), texts }: OwnModels,
): ImageEmbedding | undefined {
  const pair = findSentenceModels(config);
  if (!pair || !sight.isThere()) return undefined;
  const folder = modelsFolder(config);
  if (texts?.model === PAIR.model) return createSightEmbedding(sight, texts, folder);
  const sentences = createPairedTextEmbedding(pair);
  const embedding = createSightEmbedding(sight, sentences, folder);
  return {
    ...embedding,
    close: async () => {
      await Promise.all([embedding.close(), sentences.close()]);
    },
  };
}

/**
 * The configured model for images: a local pair, that of an endpoint, or else the service's own models that are there
 * when the process starts: all, those for images alone, or the descriptor, which needs none.
 *
 * @param own what this process has: sight, which closes with the result, and its model for texts, used if it is the service's own, and left open
 * @throws ConfigError for a local model that cannot be used
 */
export async function createImageEmbedding(
  config: ImageEmbeddingConfig & OnnxConfig,
  { sight = createSight(config), texts }: OwnModels = {},
): Promise<ImageEmbedding> {
  const {
    IMAGE_EMBEDDING: local,
    IMAGE_EMBEDDING_MODEL: model,
    IMAGE_EMBEDDING_BASE_URL: baseUrl,
    IMAGE_EMBEDDING_DIMENSION: dimension,
    IMAGE_EMBEDDING_API_KEY: apiKey,
  } = config;
  if (local !== undefined) {
    return openImagePair(local, config).catch((error: unknown) => {
      throw error instanceof OnnxModelError ? new ConfigError([`IMAGE_EMBEDDING: ${error.message}`]) : error;
    });
  }
  if (model === undefined || baseUrl === undefined || dimension === undefined)
    return (
      openOwnModel(config, { sight, ...(texts && { texts }) }) ??
      (sight.isThere() ? createFeatureEmbedding(sight) : createLocalEmbedding())
    );
  return createEndpointImageEmbedding({ baseUrl, model, dimension, ...(apiKey !== undefined && { apiKey }) });
}

/** The features by which the classifier of images tells its classes apart, alone: while the models for texts are missing. */
function createFeatureEmbedding(sight: Sight): ImageEmbedding {
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
