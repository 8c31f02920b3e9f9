import OpenAI from 'openai';
import { boundedFetch } from './bounded-fetch.ts';
import { explainApiError } from './explain-api-error.ts';
import type { VisionModel } from './vision-model.ts';
import { visionPrompt } from './vision-prompt.ts';
import { readVisionReply, replySchema } from './vision-reply.ts';

/** A reply is a few KB; even with the reasoning that some servers include, it stays far below this. */
const MAX_REPLY_BYTES = 1024 * 1024;
/** Leaves room for reasoning models; a description needs about 300. */
const MAX_OUTPUT_TOKENS = 4_000;

export interface OpenAiVisionOptions {
  /** With the version in its path, for example `https://example.com/v1`. */
  baseUrl: string;
  /** Self-hosted servers often need none. */
  apiKey?: string;
  model: string;
  timeoutSeconds: number;
}

/** Any endpoint that speaks OpenAI's chat completions with images and `json_schema` answers. */
export function createOpenAiVision(options: OpenAiVisionOptions): VisionModel {
  const { baseUrl, apiKey, model, timeoutSeconds } = options;
  // All are set explicitly, because the client reads missing options from the environment.
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: timeoutSeconds * 1000,
    fetch: boundedFetch(MAX_REPLY_BYTES),
  });

  return {
    provider: 'openai',
    inProcess: false,
    model,

    async describe(input, { signal }) {
      const prompt = visionPrompt(input);
      const { bytes, contentType } = await input.image();
      const url = `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`;
      let completion: unknown;
      try {
        completion = await client.chat.completions.create(
          {
            model,
            max_completion_tokens: MAX_OUTPUT_TOKENS,
            response_format: {
              type: 'json_schema',
              json_schema: { name: 'image_description', strict: true, schema: { ...replySchema } },
            },
            messages: [
              { role: 'system', content: prompt.system },
              {
                role: 'user',
                content: [
                  { type: 'text', text: prompt.user },
                  { type: 'image_url', image_url: { url } },
                ],
              },
            ],
          },
          { signal },
        );
      } catch (error) {
        signal.throwIfAborted();
        throw explainApiError(error, { timeoutSeconds, apiKey });
      }
      return { ...readVisionReply(completion), promptVersion: prompt.version };
    },
  };
}
