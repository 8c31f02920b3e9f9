import { z } from 'zod';
import { explainApiError } from '../explain-api-error.ts';
import { ModelError } from '../model-error.ts';
import { createOpenAiClient, OPENAI_URL } from '../openai-client.ts';
import type { VisionConfig } from '../vision/config.ts';
import type { TextEmbeddingConfig } from './config.ts';
import { createLocalTextEmbedding } from './local-text-embedding.ts';
import type { TextEmbedding } from './text-embedding.ts';

/** The configured text model: that of an endpoint if one is named, else the offline one. */
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

/** 64 vectors of 8,192 dimensions as JSON. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
const TEXTS_A_CALL = 64;
const TIMEOUT_SECONDS = 60;

const reply = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()) })),
});

/** Any endpoint compatible with OpenAI's embeddings. */
export function createOpenAiTextEmbedding(options: {
  /** Includes the version in its path. */
  baseUrl: string;
  apiKey?: string;
  model: string;
  dimension: number;
}): TextEmbedding {
  const { baseUrl, apiKey, model, dimension } = options;
  const client = createOpenAiClient({
    baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    timeoutSeconds: TIMEOUT_SECONDS,
    maxReplyBytes: MAX_REPLY_BYTES,
  });

  async function call(input: readonly string[], signal: AbortSignal): Promise<number[][]> {
    let answer: unknown;
    try {
      const request = { model, input: [...input], encoding_format: 'float' as const };
      answer = await client.embeddings.create(request, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw explainApiError(error, { timeoutSeconds: TIMEOUT_SECONDS, apiKey });
    }
    const { data } = reply.safeParse(answer);
    const vectors = input.map((_, at) => data?.data.find(({ index }) => index === at)?.embedding);
    return vectors.map((vector) => {
      if (!vector) throw new ModelError('MODEL_INVALID_REPLY', 'the embedding endpoint left out a vector');
      if (vector.length === dimension) return unit(vector);
      // Affects every text until an operator has corrected the settings.
      throw new ModelError(
        'MODEL_UNAVAILABLE',
        `the embedding endpoint answered ${vector.length} dimensions where ${dimension} are configured`,
      );
    });
  }

  return {
    model,
    dimension,
    language: undefined,
    async embed(texts, { signal }) {
      const vectors: number[][] = [];
      for (let start = 0; start < texts.length; start += TEXTS_A_CALL) {
        vectors.push(...(await call(texts.slice(start, start + TEXTS_A_CALL), signal)));
      }
      return vectors;
    },
    close: () => Promise.resolve(),
  };
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return length === 0 ? [...vector] : vector.map((value) => value / length);
}
