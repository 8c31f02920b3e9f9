import { ConfigError } from '../../../domain/schemas/read-config.ts';
import { createEmbeddingsEndpoint, type EmbeddingsEndpoint } from '../embeddings-endpoint.ts';
import { findSentenceModels } from '../../../engines/models/catalogue.ts';
import { loadRuntime } from '../../../engines/onnx/load.ts';
import { OnnxModelError, openModel } from '../../../engines/onnx/open-model.ts';
import { OPENAI_URL } from '../openai-client.ts';
import type { VisionConfig } from '../vision/config.ts';
import type { TextEmbeddingConfig } from './config.ts';
import {
  createLocalTextEmbedding,
  createOnnxTextEmbedding,
  createPairedTextEmbedding,
  LOCAL_TEXT_MODEL,
} from './local-text-embedding.ts';
import { readModelRules } from './model-rules.ts';
import { PAIR } from './paired-models.ts';
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

/** The settings that name the text model, without secrets, or the model of the service that was chosen without any. */
export function textModelSettings(
  config: ModelConfig,
  { model }: Pick<TextEmbedding, 'model'>,
): Readonly<Record<string, unknown>> {
  const named = config.TEXT_EMBEDDING_MODEL === undefined ? config : { ...config, ...endpointOf(config) };
  return { ...Object.fromEntries(MODEL_SETTINGS.map((name) => [name, named[name]])), [BUILT_IN]: model };
}

/** The text model that these settings named; keys and the folder of models are those of today. */
export async function createFormerTextEmbedding(
  config: ModelConfig,
  settings: Readonly<Record<string, unknown>>,
): Promise<TextEmbedding> {
  // Also without what is set only today.
  const former = { ...config, ...Object.fromEntries(MODEL_SETTINGS.map((name) => [name, settings[name]])) };
  const isBuiltIn = MODEL_SETTINGS.every((name) => settings[name] === undefined);
  // Earlier versions had one, and recorded no name.
  const named = settings[BUILT_IN] === PAIR.model ? PAIR.model : LOCAL_TEXT_MODEL.model;
  return isBuiltIn ? createBuiltIn(former, named) : createTextEmbedding(former);
}

/** Setting that is recorded for the models of the service itself. */
const BUILT_IN = 'built_in';

/** The model of the service for new documents: the pair where it can be run, else that of the npm package. */
async function builtInModel(config: ModelConfig): Promise<string> {
  const canRun = findSentenceModels(config) && (await loadRuntime().catch(() => undefined));
  return canRun ? PAIR.model : LOCAL_TEXT_MODEL.model;
}

function createBuiltIn(config: ModelConfig, model: string): TextEmbedding {
  if (model !== PAIR.model) return createLocalTextEmbedding();
  const pair = findSentenceModels(config);
  if (!pair) throw new ConfigError([`MODELS_DIR: ${model} is not there; run npm run models`]);
  return createPairedTextEmbedding(pair);
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
  if (model === undefined || dimension === undefined)
    return createBuiltIn(config, await builtInModel(config));
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
