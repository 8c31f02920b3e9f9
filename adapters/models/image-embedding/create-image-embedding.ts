import { ConfigError } from '../../../domain/schemas/read-config.ts';
import type { OnnxConfig } from '../../../engines/onnx/config.ts';
import { OnnxModelError } from '../../../engines/onnx/open-model.ts';
import { createSight } from '../sight/sight.ts';
import type { ImageEmbeddingConfig } from './config.ts';
import { createEndpointImageEmbedding } from './endpoint-image-embedding.ts';
import type { ImageEmbedding } from './image-embedding.ts';
import { createFeatureEmbedding } from './feature-embedding.ts';
import { createLocalEmbedding } from './local-embedding.ts';
import { openImagePair } from './onnx-image-embedding.ts';

/**
 * The configured model for images: a local pair, that of an endpoint, or else the features of the service's own model, if it
 * is there when the process starts, or the descriptor, which needs none.
 *
 * @param sight of this process, which closes with the result
 * @throws ConfigError for a local model that cannot be used
 */
export async function createImageEmbedding(
  config: ImageEmbeddingConfig & OnnxConfig,
  sight = createSight(config),
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
    return sight.isThere() ? createFeatureEmbedding(sight) : createLocalEmbedding();
  return createEndpointImageEmbedding({ baseUrl, model, dimension, ...(apiKey !== undefined && { apiKey }) });
}
