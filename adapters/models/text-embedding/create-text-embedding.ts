import { OPENAI_URL } from '../openai-client.ts';
import type { VisionConfig } from '../vision/config.ts';
import type { TextEmbeddingConfig } from './config.ts';
import { createLocalTextEmbedding } from './local-text-embedding.ts';
import { createOpenAiTextEmbedding } from './openai-text-embedding.ts';
import type { TextEmbedding } from './text-embedding.ts';

/** The configured model for texts: that of an endpoint if one is named, otherwise the offline one. */
export function createTextEmbedding(
  config: TextEmbeddingConfig & Pick<VisionConfig, 'OPENAI_BASE_URL' | 'OPENAI_API_KEY'>,
): TextEmbedding {
  const { TEXT_EMBEDDING_MODEL: model, TEXT_EMBEDDING_DIMENSION: dimension, OPENAI_API_KEY: apiKey } = config;
  if (model === undefined || dimension === undefined) return createLocalTextEmbedding();
  return createOpenAiTextEmbedding({
    baseUrl: config.TEXT_EMBEDDING_BASE_URL ?? config.OPENAI_BASE_URL ?? OPENAI_URL,
    ...(apiKey !== undefined && { apiKey }),
    model,
    dimension,
  });
}
