import type { EntityManager } from '@mikro-orm/postgresql';
import { USAGE_MONTHS } from '../../domain/limits.ts';
import { USAGE_OPERATIONS, type UsageOperation } from '../../domain/operations.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';
import { DAY_MS, monthOf, type TimeRange } from '../../domain/usage/periods.ts';
import { sql, type Sql } from '../shared/sql.ts';
import { usageRows } from './usage-rows.ts';

/** Operations of one kind, and their tokens. */
export interface OperationTokens extends Omit<TokenUsage, 'thinkingTokens'> {
  operation: UsageOperation;
  operations: number;
}

/** Tokens of a tenant by operation; those without any are absent. */
export async function readTokens(
  em: EntityManager,
  filter: { tenantId: string; range: TimeRange },
): Promise<OperationTokens[]> {
  const rows = await em.execute<Record<string, string>[]>(
    sql`select type, sum(events) as events, sum(input_tokens) as input, sum(output_tokens) as output,
          sum(cache_read_tokens) as cache_read, sum(cache_creation_tokens) as cache_creation
        from (${await usageRows(em, { ...filter, types: USAGE_OPERATIONS })}) as used group by type`,
  );
  return rows.map((row) => ({
    operation: row['type'] as UsageOperation,
    operations: Number(row['events']),
    inputTokens: Number(row['input']),
    outputTokens: Number(row['output']),
    cacheReadTokens: Number(row['cache_read']),
    cacheCreationTokens: Number(row['cache_creation']),
  }));
}

/** Tokens of one operation on a file. */
export interface FileTokens {
  fileId: string;
  /** Null once the file is permanently removed. */
  filename: string | null;
  inputTokens: number;
  outputTokens: number;
  provider: string;
  model: string;
  at: Date;
}

export interface FileTokensPage {
  files: FileTokens[];
  /** On all pages. */
  totalCount: number;
  inputTokens: number;
  outputTokens: number;
}

/** Operations on files that took tokens, newest first, as long as usage is kept. */
export async function listFileTokens(
  em: EntityManager,
  tenantId: string,
  page: { limit: number; offset: number },
  now = new Date(),
): Promise<FileTokensPage> {
  const range = { from: monthOf(now, -USAGE_MONTHS), to: new Date(now.getTime() + DAY_MS) };
  const [total] = await em.execute<{ events: string | null; input: string | null; output: string | null }[]>(
    sql`select sum(file_events) as events, sum(file_input_tokens) as input, sum(file_output_tokens) as output
        from (${await usageRows(em, { tenantId, range, types: USAGE_OPERATIONS })}) as used`,
  );
  const rows = await em.execute<FileTokensRow[]>(fileTokensSql(tenantId, page));
  return {
    files: rows.map((row) => ({
      fileId: row.file_id,
      filename: row.filename,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      provider: row.provider,
      model: row.model,
      at: new Date(row.occurred_at),
    })),
    totalCount: Number(total?.events ?? 0),
    inputTokens: Number(total?.input ?? 0),
    outputTokens: Number(total?.output ?? 0),
  };
}

interface FileTokensRow {
  file_id: string;
  filename: string | null;
  input_tokens: number;
  output_tokens: number;
  provider: string;
  model: string;
  occurred_at: Date;
}

export function fileTokensSql(tenantId: string, { limit, offset }: { limit: number; offset: number }): Sql {
  return sql`select used.file_id, file.filename, used.input_tokens, used.output_tokens, used.provider, used.model,
      used.occurred_at
    from (
      select * from usage_events
      where tenant_id = ${tenantId} and file_id is not null and input_tokens + output_tokens > 0
      order by occurred_at desc, id desc limit ${limit} offset ${offset}) as used
    left join files file on file.id = used.file_id and file.tenant_id = ${tenantId}
    order by used.occurred_at desc, used.id desc`;
}
