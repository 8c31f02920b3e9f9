import type { z } from 'zod';
import type { FileTokensPage, OperationTokens } from '../../../services/usage/read-tokens.ts';
import { TOKEN_OPERATIONS, type TokenOperation } from './token-schema.ts';
import type { fileTokens, monthlyTokens } from './token-schema.ts';

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
