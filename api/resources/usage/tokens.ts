import { z } from 'zod';
import type { FileTokensPage, OperationTokens } from '../../../services/usage/read-tokens.ts';
import { count, createdAt, timestamp } from '../fields.ts';

/** Operations whose tokens are shown apart, with the name of the field that counts them. */
const TOKEN_OPERATIONS = {
  describe: 'describe_operations',
  chat: 'chat_messages',
  verify: 'verify_operations',
  extract: 'extract_operations',
  analyze: 'analyze_operations',
  digitize: 'digitize_operations',
  ask: 'ask_operations',
} as const;
type TokenOperation = keyof typeof TOKEN_OPERATIONS;

const tokenFields = Object.entries(TOKEN_OPERATIONS).flatMap(([name, counted]) => [
  [`${name}_input_tokens`, count.describe(`Input tokens: ${name}`)],
  [`${name}_output_tokens`, count.describe(`Output tokens: ${name}`)],
  [counted, count.describe(`Number of operations: ${name}`)],
  [`${name}_cache_read_tokens`, count.describe(`Input tokens read from a cache: ${name}`)],
  [`${name}_cache_creation_tokens`, count.describe(`Input tokens put into a cache: ${name}`)],
]);

export const monthlyTokens = z
  .object({
    year: z.int().min(1).max(9999).describe('The year'),
    month: z.int().min(1).max(12).describe('The month, 1 to 12'),
    ...(Object.fromEntries(tokenFields) as Record<string, typeof count>),
    total_input_tokens: count.describe('Input tokens of all operations'),
    total_output_tokens: count.describe('Output tokens of all operations'),
    total_tokens: count.describe('Input and output tokens'),
    total_cache_read_tokens: count.describe('Part of the input that was read from a cache'),
    total_cache_creation_tokens: count.describe('Part of the input that was put into a cache'),
  })
  .meta({ id: 'MonthlyTokens' });

const tokens = {
  input_tokens: count.describe('Tokens that the model read'),
  output_tokens: count.describe('Tokens that the model wrote'),
  total_tokens: count.describe('Input and output tokens'),
};
const tokenTotals = {
  total_count: count.describe('Number of all'),
  total_input_tokens: count.describe('Input tokens of all'),
  total_output_tokens: count.describe('Output tokens of all'),
};

export const fileTokens = z
  .object({
    files: z
      .array(
        z.object({
          image_id: z.uuid().describe('Id of the file'),
          filename: z.string().nullable().describe('Name of the file; null once it is permanently removed'),
          ...tokens,
          provider: z.string().describe('Provider of the model'),
          model: z.string().describe('The model'),
          created_at: timestamp.describe('When the operation ended'),
        }),
      )
      .describe('One entry for each operation on a file that took tokens, newest first'),
    ...tokenTotals,
  })
  .meta({ id: 'FileTokens' });

export const conversationTokens = z
  .object({
    conversations: z
      .array(
        z.object({
          session_id: z.uuid().describe('Id of the conversation'),
          title: z.string().nullable().describe('Title of the conversation; null without one'),
          ...tokens,
          message_count: count.describe('Number of messages'),
          created_at: createdAt,
        }),
      )
      .describe('Always empty: there is no chat'),
    ...tokenTotals,
  })
  .meta({ id: 'ConversationTokens' });

const NONE = { operations: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
type Sums = typeof NONE;

export function presentMonthlyTokens(
  tokens: readonly OperationTokens[],
  { year, month }: { year: number; month: number },
): z.input<typeof monthlyTokens> {
  const total = tokens.reduce<Sums>(add, NONE);
  const fields = Object.entries(TOKEN_OPERATIONS).flatMap(([name, counted]) => {
    const sums = tokens.filter((one) => shownAs(one) === name).reduce<Sums>(add, NONE);
    return [
      [`${name}_input_tokens`, sums.inputTokens],
      [`${name}_output_tokens`, sums.outputTokens],
      [counted, sums.operations],
      [`${name}_cache_read_tokens`, sums.cacheReadTokens],
      [`${name}_cache_creation_tokens`, sums.cacheCreationTokens],
    ] as const;
  });
  return {
    year,
    month,
    ...Object.fromEntries(fields),
    total_input_tokens: total.inputTokens,
    total_output_tokens: total.outputTokens,
    total_tokens: total.inputTokens + total.outputTokens,
    total_cache_read_tokens: total.cacheReadTokens,
    total_cache_creation_tokens: total.cacheCreationTokens,
  };
}

export function presentFileTokens({
  files,
  totalCount,
  inputTokens,
  outputTokens,
}: FileTokensPage): z.input<typeof fileTokens> {
  return {
    files: files.map((file) => ({
      image_id: file.fileId,
      filename: file.filename,
      input_tokens: file.inputTokens,
      output_tokens: file.outputTokens,
      total_tokens: file.inputTokens + file.outputTokens,
      provider: file.provider,
      model: file.model,
      created_at: file.at.toISOString(),
    })),
    total_count: totalCount,
    total_input_tokens: inputTokens,
    total_output_tokens: outputTokens,
  };
}

function shownAs({ operation }: OperationTokens): TokenOperation {
  return operation === 'batch_describe' ? 'describe' : operation;
}

function add(sums: Sums, one: Sums): Sums {
  return {
    operations: sums.operations + one.operations,
    inputTokens: sums.inputTokens + one.inputTokens,
    outputTokens: sums.outputTokens + one.outputTokens,
    cacheReadTokens: sums.cacheReadTokens + one.cacheReadTokens,
    cacheCreationTokens: sums.cacheCreationTokens + one.cacheCreationTokens,
  };
}
