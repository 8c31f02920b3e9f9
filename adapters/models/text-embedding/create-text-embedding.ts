import { ConfigError } from '../../../domain/schemas/read-config.ts';
import { createEmbeddingsEndpoint, type EmbeddingsEndpoint } from '../embeddings-endpoint.ts';
import { OnnxModelError, openModel } from '../../../engines/onnx/open-model.ts';
import { OPENAI_URL } from '../openai-client.ts';
import type { VisionConfig } from '../vision/config.ts';
import type { TextEmbeddingConfig } from './config.ts';
import { createLocalTextEmbedding, createOnnxTextEmbedding } from './local-text-embedding.ts';
import { readModelRules } from './model-rules.ts';
import type { TextEmbedding } from './text-embedding.ts';

type ModelConfig = TextEmbeddingConfig & Pick<VisionConfig, 'OPENAI_BASE_URL' | 'OPENAI_API_KEY'>;

const MODEL_SETTINGS = [
  'TEXT_EMBEDDING',
  'TEXT_EMBEDDING_QUERY_PREFIX',
  'TEXT_EMBEDDING_PASSAGE_PREFIX',
  'TEXT_EMBEDDING_MODEL',
  'TEXT_EMBEDDING_DIMENSION',
  'TEXT_EMBEDDING_BASE_URL',
] as const satisfies (keyof TextEmbeddingConfig)[];

/** The settings that name the text model, without secrets. */
export function textModelSettings(config: ModelConfig): Readonly<Record<string, unknown>> {
  const named = config.TEXT_EMBEDDING_MODEL === undefined ? config : { ...config, ...endpointOf(config) };
  return Object.fromEntries(MODEL_SETTINGS.map((name) => [name, named[name]]));
}

/** The text model that these settings named; keys and the folder of models are those of today. */
export function createFormerTextEmbedding(
  config: ModelConfig,
  settings: Readonly<Record<string, unknown>>,
): Promise<TextEmbedding> {
  // Also without what is set only today.
  return createTextEmbedding({
    ...config,
    ...Object.fromEntries(MODEL_SETTINGS.map((name) => [name, settings[name]])),
  });
}

const endpointOf = (config: ModelConfig) => ({
  TEXT_EMBEDDING_BASE_URL: config.TEXT_EMBEDDING_BASE_URL ?? config.OPENAI_BASE_URL ?? OPENAI_URL,
});

/**
 * The configured text model: of this machine, of an endpoint, else the bundled one. A model of the hub is fetched first.
 *
 * @throws ConfigError for a model that cannot be used
 */
export async function createTextEmbedding(config: ModelConfig): Promise<TextEmbedding> {
  const { TEXT_EMBEDDING_MODEL: model, TEXT_EMBEDDING_DIMENSION: dimension, OPENAI_API_KEY: apiKey } = config;
  if (config.TEXT_EMBEDDING !== undefined) {
    try {
      const opened = await openModel(config.TEXT_EMBEDDING, ['model'], config);
      return createOnnxTextEmbedding(opened, await readModelRules(opened, config));
    } catch (error) {
      if (error instanceof OnnxModelError) throw new ConfigError([`TEXT_EMBEDDING: ${error.message}`]);
      throw error;
    }
  }
  if (model === undefined || dimension === undefined) return createLocalTextEmbedding();
  return createOpenAiTextEmbedding({
    baseUrl: endpointOf(config).TEXT_EMBEDDING_BASE_URL,
    ...(apiKey !== undefined && { apiKey }),
    model,
    dimension,
  });
}

const TEXTS_A_CALL = 64;
const harmlessText = () => Promise.resolve('The choir rehearses on Tuesdays in the school hall.');

/** Any endpoint compatible with OpenAI's embeddings. */
export function createOpenAiTextEmbedding(options: EmbeddingsEndpoint): TextEmbedding {
  const { model, dimension } = options;
  const call = createEmbeddingsEndpoint(options);
  return {
    model,
    dimension,
    language: undefined,
    async embed(texts, { role, signal }) {
      const vectors: number[][] = [];
      for (let start = 0; start < texts.length; start += TEXTS_A_CALL) {
        const some = texts.slice(start, start + TEXTS_A_CALL);
        vectors.push(...(await call(some, signal, role === 'passage' ? harmlessText : undefined)));
      }
      return vectors;
    },
    close: () => Promise.resolve(),
  };
}
