import { z } from 'zod';
import { unit } from '../../domain/similarity.ts';
import { explainApiError } from './explain-api-error.ts';
import { isRefusal, ModelError } from './model-error.ts';
import { createOpenAiClient } from './openai-client.ts';

/** 64 vectors of 8,192 dimensions as JSON. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
const TIMEOUT_SECONDS = 60;

const reply = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()) })),
});

export interface EmbeddingsEndpoint {
  /** Includes the version in its path. */
  baseUrl: string;
  apiKey?: string;
  model: string;
  dimension: number;
}

type Input = string | object;

/**
 * Calls `POST {baseUrl}/embeddings` of any endpoint compatible with OpenAI's, for at most 64 inputs.
 *
 * @returns a function that answers unit vectors of its inputs, in order. With a harmless input, a refusal is that of these
 *   inputs: the model is unavailable if it refuses the harmless one as well
 * @throws ModelError, or the reason of an abort
 */
export function createEmbeddingsEndpoint({ baseUrl, apiKey, model, dimension }: EmbeddingsEndpoint) {
  const client = createOpenAiClient({
    baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    timeoutSeconds: TIMEOUT_SECONDS,
    maxReplyBytes: MAX_REPLY_BYTES,
  });

  async function call(input: readonly Input[], signal: AbortSignal): Promise<number[][]> {
    let answer: unknown;
    try {
      // Not the method for embeddings, which knows only texts.
      const body = { model, input, encoding_format: 'float' };
      answer = await client.post('/embeddings', { body, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw explainApiError(error, { timeoutSeconds: TIMEOUT_SECONDS, apiKey });
    }
    const { data } = reply.safeParse(answer);
    const vectors = input.map((_, at) => data?.data.find(({ index }) => index === at)?.embedding);
    return vectors.map((vector) => {
      if (!vector) throw new ModelError('MODEL_INVALID_REPLY', 'the embedding endpoint left out a vector');
      if (vector.length === dimension) {
        const normal = unit(vector);
        if (normal.some((value) => value !== 0)) return normal;
        throw new ModelError(
          'MODEL_INVALID_REPLY',
          'the embedding endpoint answered a vector without direction',
        );
      }
      // Affects every input until an operator has corrected the settings.
      throw new ModelError(
        'MODEL_UNAVAILABLE',
        `the embedding endpoint answered ${vector.length} dimensions where ${dimension} are configured`,
      );
    });
  }

  return async (
    input: readonly Input[],
    signal: AbortSignal,
    harmless?: () => Promise<Input>,
  ): Promise<number[][]> => {
    try {
      return await call(input, signal);
    } catch (error) {
      if (!harmless || !isRefusal(error)) throw error;
      await call([await harmless()], signal).catch((cause: unknown) => {
        if (!isRefusal(cause)) throw cause;
        throw new ModelError('MODEL_UNAVAILABLE', 'the embedding endpoint refuses every input', { cause });
      });
      throw error;
    }
  };
}
