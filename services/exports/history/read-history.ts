import type { EntityManager } from '@mikro-orm/postgresql';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import {
  SOURCE_TYPES,
  type HistoryFilter,
  type HistoryMetadata,
  type SourceType,
} from '../../../domain/exports/history.ts';
import { SearchDeadline } from '../../files/search-deadline.ts';
import { sql } from '../../shared/sql.ts';
import { timeSql, DESCRIBED_ORDER, describedSql, SOURCE_TYPE } from './history-sql.ts';

export interface HistoryItem {
  id: string;
  sourceType: SourceType;
  sourceId: string;
  createdAt: string;
  description: string;
  fileId: string;
  /** For display; undefined if there is none. */
  variant: FileVariant | undefined;
  metadata: Record<HistoryMetadata, unknown>;
}

/** Statistics of all records that the filter selects. */
export interface HistoryStatistics {
  totalCount: number;
  /** By UTC day, oldest first; days without records are left out. */
  dailyCounts: { date: string; count: number }[];
  bySource: Record<SourceType, number>;
}

/**
 * A page of the history, newest first, and the statistics of all selected records.
 *
 * @throws AppError SEARCH_TIMEOUT
 */
export async function readHistory(
  em: EntityManager,
  tenantId: string,
  filter: HistoryFilter,
  { limit, offset, timeoutMs }: { limit: number; offset: number; timeoutMs: number },
): Promise<{ items: HistoryItem[]; statistics: HistoryStatistics }> {
  const among = describedSql(tenantId, filter);
  const deadline = new SearchDeadline(timeoutMs);
  const [items, days] = await Promise.all([
    deadline.read(em, (from) =>
      from.execute<ItemRow[]>(
        sql`select d.id, ${SOURCE_TYPE} as source_type, coalesce(f.session_id, f.id) as source_id,
            ${timeSql(sql`d.created_at`)} as created_at, d.description, f.id as file_id,
            (select to_json(v) from file_variants v where v.file_id = f.id and v.type = 'medium_750') as variant,
            json_build_object('filename', f.filename, 'title', f.title, 'tags', d.tags, 'media_type', f.media_type,
              'content_type', f.content_type, 'content_category', f.content_category, 'provider', d.provider,
              'model', d.model, 'prompt_version', d.prompt_version, 'generation', d.generation,
              'input_tokens', d.input_tokens, 'output_tokens', d.output_tokens) as metadata
          ${among} order by ${DESCRIBED_ORDER} limit ${limit} offset ${offset}`,
      ),
    ),
    deadline.read(em, (from) =>
      from.execute<DayRow[]>(
        sql`select to_char(d.created_at at time zone 'utc', 'YYYY-MM-DD') as date, ${SOURCE_TYPE} as source_type,
            count(*)::int as count
          ${among} group by 1, 2 order by 1`,
      ),
    ),
  ]);
  return { items: items.map((row) => toItem(em, row)), statistics: toStatistics(days) };
}

interface ItemRow {
  id: string;
  source_type: SourceType;
  source_id: string;
  created_at: string;
  description: string;
  file_id: string;
  variant: Record<string, unknown> | null;
  metadata: Record<HistoryMetadata, unknown>;
}

interface DayRow {
  date: string;
  source_type: SourceType;
  count: number;
}

function toItem(em: EntityManager, row: ItemRow): HistoryItem {
  return {
    id: row.id,
    sourceType: row.source_type,
    sourceId: row.source_id,
    createdAt: row.created_at,
    description: row.description,
    fileId: row.file_id,
    variant: row.variant ? em.map(FileVariant, row.variant) : undefined,
    metadata: row.metadata,
  };
}

function toStatistics(rows: readonly DayRow[]): HistoryStatistics {
  const total = (of: readonly DayRow[]) => of.reduce((sum, { count }) => sum + count, 0);
  const dates = [...new Set(rows.map(({ date }) => date))];
  return {
    totalCount: total(rows),
    dailyCounts: dates.map((date) => ({ date, count: total(rows.filter((row) => row.date === date)) })),
    bySource: Object.fromEntries(
      SOURCE_TYPES.map((type) => [type, total(rows.filter(({ source_type }) => source_type === type))]),
    ) as Record<SourceType, number>,
  };
}
