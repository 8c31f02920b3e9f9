import OpenAI from 'openai';
import { boundedFetch } from './bounded-fetch.ts';

export const OPENAI_URL = 'https://api.openai.com/v1';

/** An endpoint that speaks OpenAI's API. */
export interface OpenAiEndpoint {
  /** With the version in its path, for example `https://example.com/v1`. */
  baseUrl: string;
  /** Self-hosted servers often need none. */
  apiKey?: string;
  timeoutSeconds: number;
}

/** A client of an endpoint that makes each call once and never reads more than `maxReplyBytes` of a reply. */
export function createOpenAiClient({
  baseUrl,
  apiKey,
  timeoutSeconds,
  maxReplyBytes,
}: OpenAiEndpoint & { maxReplyBytes: number }): OpenAI {
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
