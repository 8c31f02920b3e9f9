import { createRequire } from 'node:module';
import type * as OpenAi from 'openai';
import { describeSpan, traced } from '../../domain/tracing.ts';
import { ModelError } from './model-error.ts';

/** Loads the package for the processes that have an endpoint: 35 MB. */
const require = createRequire(import.meta.url);

export const OPENAI_URL = 'https://api.openai.com/v1';

/** An endpoint compatible with OpenAI's API. */
export interface OpenAiEndpoint {
  /** Includes the version in its path, for example `https://example.com/v1`. */
  baseUrl: string;
  /** Self-hosted servers often need none. */
  apiKey?: string;
  timeoutSeconds: number;
}

/** A client that makes each call once and never reads more than `maxReplyBytes` of a reply. */
export function createOpenAiClient({
  baseUrl,
  apiKey,
  timeoutSeconds,
  maxReplyBytes,
}: OpenAiEndpoint & { maxReplyBytes: number }): OpenAi.OpenAI {
  const { OpenAI } = require('openai') as typeof OpenAi;
  // All are set explicitly, because the client reads missing options from the environment.
  return new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: timeoutSeconds * 1000,
    fetch: boundedFetch(maxReplyBytes),
  });
}

/**
 * `fetch` that follows no redirect, which would repeat the prompt to whatever host it names, and whose body fails once it
 * is longer than `maxBytes`, so that a runaway reply costs no memory. The error is a ModelError `MODEL_INVALID_REPLY`.
 */
function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await traced('model call', async () => {
      const answer = await fetch(input, { ...init, redirect: 'manual' });
      describeSpan({ 'http.response.status_code': answer.status });
      return answer;
    });
    if (!response.body) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes) {
            throw new ModelError(
              'MODEL_INVALID_REPLY',
              `the model endpoint answered with more than ${Math.floor(maxBytes / 1024)} KB`,
            );
          }
          controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(counted, { status, statusText, headers });
  };
}
