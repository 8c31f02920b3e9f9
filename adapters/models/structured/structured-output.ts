import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { addUsage, type TokenUsage } from '../../../domain/token-usage.ts';
import { explainApiError } from '../explain-api-error.ts';
import { ModelError } from '../model-error.ts';
import { createOpenAiClient, type OpenAiEndpoint } from '../openai-client.ts';
import type { Checked, JsonSchema } from '../../../engines/text-work/answer-check.ts';
import { readCompletion, type Completion } from './chat-completion.ts';
import { allowsStrict } from './strict-schema.ts';

/**
 * The answer instructions around every prompt. They are part of each prompt: a change here is a new version of all of
 * them.
 */
const answerFormat = {
  /** Also for endpoints that ignore `response_format`. */
  schema: (schema: string) =>
    `Answer with one JSON object and nothing else. It must be valid against this JSON Schema: ${schema}`,
  repair: (problems: readonly string[]) =>
    [
      'That answer cannot be used:',
      ...problems.map((problem) => `- ${problem}`),
      'Write the whole JSON object again, corrected, and nothing else. Keep what was right.',
    ].join('\n'),
};

/** The largest answers have 16,000 tokens; even with the reasoning that some servers include, they stay below this. */
const MAX_REPLY_BYTES = 1024 * 1024;
/** Further problems add nothing new. */
const MAX_PROBLEMS = 20;
/** Characters of an invalid answer that are shown to the model again. */
const MAX_SHOWN = 20_000;

export interface StructuredRequest<T> {
  /** Schema name, for the model. */
  name: string;
  schema: JsonSchema;
  system: string;
  user: readonly ChatCompletionContentPart[];
  maxOutputTokens: number;
  /** Final validation of the answer, whatever the endpoint enforced. */
  check: (answer: unknown) => Checked<T> | Promise<Checked<T>>;
}

export interface StructuredAnswer<T> {
  value: T;
  /** Total of both calls if the answer was repaired. */
  usage: TokenUsage;
  repaired: boolean;
}

/**
 * Requests JSON of a given shape from a chat model. An answer of another shape is returned to the model once, with its
 * errors. Outages are not retried here: the workflow engine does that.
 *
 * @throws ModelError; the reason of the signal passes through unchanged
 */
export type StructuredOutput = <T>(
  request: StructuredRequest<T>,
  options: { signal: AbortSignal },
) => Promise<StructuredAnswer<T>>;

/** The timeout covers the repair as well. */
export function createStructuredOutput(endpoint: OpenAiEndpoint & { model: string }): StructuredOutput {
  const { model, timeoutSeconds, apiKey } = endpoint;
  const client = createOpenAiClient({ ...endpoint, maxReplyBytes: MAX_REPLY_BYTES });

  async function complete(
    request: Omit<StructuredRequest<unknown>, 'check'>,
    more: readonly ChatCompletionMessageParam[],
    signals: { caller: AbortSignal; deadline: AbortSignal },
  ): Promise<Completion> {
    const { schema, maxOutputTokens } = request;
    let body: unknown;
    try {
      body = await client.chat.completions.create(
        {
          model,
          max_completion_tokens: maxOutputTokens,
          response_format: {
            type: 'json_schema',
            json_schema: {
              name: schemaName(request.name),
              strict: allowsStrict(schema),
              schema: { ...schema },
            },
          },
          messages: [
            { role: 'system', content: `${request.system}\n${answerFormat.schema(JSON.stringify(schema))}` },
            { role: 'user', content: [...request.user] },
            ...more,
          ],
        },
        { signal: AbortSignal.any([signals.caller, signals.deadline]) },
      );
    } catch (error) {
      signals.caller.throwIfAborted();
      if (signals.deadline.aborted) {
        throw new ModelError(
          'MODEL_TIMEOUT',
          `the model endpoint did not answer within ${timeoutSeconds} seconds`,
        );
      }
      throw explainApiError(error, { timeoutSeconds, apiKey });
    }
    return readCompletion(body);
  }

  return async (request, { signal: caller }) => {
    const signals = { caller, deadline: AbortSignal.timeout(timeoutSeconds * 1000) };
    const first = await complete(request, [], signals);
    const answer = await readAnswer(first, request.check);
    if ('value' in answer) return { value: answer.value, usage: first.usage, repaired: false };

    const second = await complete(request, repairMessages(first, answer.problems), signals).catch(
      (error: unknown) => {
        caller.throwIfAborted();
        throw unrepaired(error, answer.problems, first.usage);
      },
    );
    const usage = addUsage(first.usage, second.usage);
    const repaired = await readAnswer(second, request.check);
    if ('value' in repaired) return { value: repaired.value, usage, repaired: true };
    throw new ModelError('MODEL_INVALID_ANSWER', `${complaint(repaired.problems)}, twice`, { usage });
  };
}

/**
 * A refusal is final. Any other error counts as an invalid reply: as an outage, each retry would pay for a first answer
 * again.
 */
function unrepaired(error: unknown, problems: readonly string[], paid: TokenUsage): ModelError {
  const usage = error instanceof ModelError && error.usage ? addUsage(paid, error.usage) : paid;
  if (error instanceof ModelError && error.code === 'MODEL_REFUSED') {
    return new ModelError(error.code, error.message, { cause: error.cause, usage });
  }
  return new ModelError('MODEL_INVALID_REPLY', complaint(problems), { cause: error, usage });
}

function complaint([problem]: readonly string[]): string {
  return `the model answered in another shape than asked for (${problem})`;
}

function repairMessages(
  { content }: Completion,
  problems: readonly string[],
): readonly ChatCompletionMessageParam[] {
  const shown = content.slice(0, MAX_SHOWN).toWellFormed();
  return [
    // Endpoints reject an empty message.
    ...(shown.trim() === '' ? [] : [{ role: 'assistant' as const, content: shown }]),
    { role: 'user', content: answerFormat.repair(problems.slice(0, MAX_PROBLEMS)) },
  ];
}

async function readAnswer<T>(
  { content, cutOff }: Completion,
  check: StructuredRequest<T>['check'],
): Promise<Checked<T>> {
  if (cutOff) return { problems: ['it was too long and was cut off; be brief'] };
  let answer: unknown;
  try {
    answer = JSON.parse(withoutFence(content));
  } catch {
    return { problems: [content.trim() === '' ? 'it is empty' : 'it is not JSON'] };
  }
  return check(answer);
}

/** Servers without structured output often wrap JSON in a Markdown code fence. */
function withoutFence(content: string): string {
  const text = content.trim();
  if (!text.startsWith('```') || !text.endsWith('```')) return text;
  return text.slice(text.indexOf('\n') + 1, -3);
}

/** Endpoints take letters, digits, `_` and `-` only. */
function schemaName(name: string): string {
  return name.replaceAll(/[^\w-]+/g, '_').slice(0, 64) || 'answer';
}
