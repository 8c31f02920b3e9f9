import { z } from 'zod';
import { cleanTags, cleanText } from './clean-answer.ts';
import { ModelError } from './model-error.ts';
import type { VisionAnswer } from './vision-model.ts';

const Reply = z.object({
  description: z.string().refine((text) => cleanText(text) !== '', 'is empty'),
  tags: z.array(z.string()),
  confidence: z.number().nullable().catch(null),
});

/** The requested shape, as the JSON Schema of a `response_format`. Strict mode does not support defaults. */
export const replySchema = z.toJSONSchema(Reply, {
  override: ({ jsonSchema }) => {
    delete jsonSchema.default;
  },
});

/** The part of a chat completion that is read. Compatible servers leave out much of the rest. */
const Completion = z.object({
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
    .object({ prompt_tokens: z.int().nonnegative(), completion_tokens: z.int().nonnegative() })
    .nullish()
    .catch(null),
});

/**
 * Reads an answer out of a chat completion.
 *
 * @throws ModelError `MODEL_REFUSED` or `MODEL_INVALID_REPLY`
 */
export function readVisionReply(completion: unknown): Omit<VisionAnswer, 'promptVersion'> {
  const { choices, usage } = parse(Completion, completion, 'the model endpoint answered no chat completion');
  const [{ finish_reason: end, message }] = choices;
  if (message.refusal || end === 'content_filter') {
    throw new ModelError('MODEL_REFUSED', 'the model refused to describe this image');
  }
  if (end === 'length') throw new ModelError('MODEL_INVALID_REPLY', 'the answer of the model was cut off');
  const reply = parse(
    Reply,
    readJson(message.content ?? ''),
    'the model answered in another shape than asked for',
  );
  return {
    description: cleanText(reply.description),
    tags: cleanTags(reply.tags),
    usage: { inputTokens: usage?.prompt_tokens ?? 0, outputTokens: usage?.completion_tokens ?? 0 },
    confidence: reply.confidence === null ? null : Math.min(1, Math.max(0, reply.confidence)),
  };
}

function readJson(content: string): unknown {
  try {
    return JSON.parse(withoutFence(content));
  } catch (error) {
    throw new ModelError('MODEL_INVALID_REPLY', 'the answer of the model is not JSON', { cause: error });
  }
}

/** Servers without structured output often wrap JSON in a Markdown code fence. */
function withoutFence(content: string): string {
  const text = content.trim();
  if (!text.startsWith('```') || !text.endsWith('```')) return text;
  return text.slice(text.indexOf('\n') + 1, -3);
}

function parse<T>(schema: z.ZodType<T>, value: unknown, complaint: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  throw new ModelError('MODEL_INVALID_REPLY', `${complaint} (${where}${issue?.message})`);
}
