import { z } from 'zod';
import { boundUsage, type TokenUsage } from '../../../domain/token-usage.ts';
import { ModelError } from '../model-error.ts';

/** Output of a chat model. */
export interface Completion {
  content: string;
  /** Whether it was cut off by the output limit. */
  cutOff: boolean;
  usage: TokenUsage;
}

const count = z.number().nonnegative().nullish().catch(null);

/** The used part of a chat completion. Compatible servers omit much of the rest. */
const Reply = z.object({
  choices: z.tuple(
    [
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    ],
    z.unknown(),
  ),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
      prompt_tokens_details: z
        .object({ cached_tokens: count, cache_write_tokens: count })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
});

/**
 * Reads the body of a chat completion.
 *
 * @throws ModelError `MODEL_REFUSED`, or `MODEL_INVALID_REPLY` for any other body
 */
export function readCompletion(body: unknown): Completion {
  const { data, error } = Reply.safeParse(body);
  if (!data) {
    const [issue] = error.issues;
    throw new ModelError(
      'MODEL_INVALID_REPLY',
      `the model endpoint answered no chat completion (${issue?.path.join('.')}: ${issue?.message})`,
    );
  }
  const [{ finish_reason: end, message }] = data.choices;
  const usage = readUsage(data.usage);
  if (message.refusal || end === 'content_filter') {
    throw new ModelError('MODEL_REFUSED', 'the model refused to answer', { usage });
  }
  return { content: message.content ?? '', cutOff: end === 'length', usage };
}

function readUsage(usage: z.output<typeof Reply>['usage']): TokenUsage {
  return boundUsage({
    inputTokens: usage?.prompt_tokens ?? 0,
    outputTokens: usage?.completion_tokens ?? 0,
    thinkingTokens: usage?.completion_tokens_details?.reasoning_tokens ?? null,
    cacheReadTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    cacheCreationTokens: usage?.prompt_tokens_details?.cache_write_tokens ?? 0,
  });
}
