import { raw } from '@mikro-orm/core';
import type { DataExportFormat } from '../../../domain/exports/export.ts';
import {
  HISTORY_METADATA,
  type HistoryField,
  type HistoryMetadata,
} from '../../../domain/exports/history.ts';
import type { HistorySpec } from '../../../domain/exports/spec.ts';
import { joinSql, sql, type Sql } from '../../shared/sql.ts';
import { timeSql, FAILED_AT, SOURCE_TYPE } from './history-sql.ts';

type Phase = 'described' | 'failed';
type Shape = Pick<HistorySpec, 'fields' | 'includeMetadata'>;

/** Of the file, so the same in both phases. */
const COMMON = {
  type: sql`'description'`,
  source_type: SOURCE_TYPE,
  source_id: sql`coalesce(f.session_id, f.id)`,
  image_id: sql`f.id`,
  // A temporary URL would have ended before the file is read.
  image_url: sql`'/api/v2/files/' || f.id || '/download'`,
  confidence_score: sql`null::float8`,
  verification: sql`null::text`,
} satisfies Partial<Record<HistoryField, Sql>>;

const FIELDS: Readonly<Record<Phase, Readonly<Record<HistoryField, Sql>>>> = {
  described: {
    ...COMMON,
    id: sql`d.id`,
    created_at: timeSql(sql`d.created_at`),
    description: sql`d.description`,
    status: sql`'completed'`,
    error_message: sql`null::text`,
  },
  failed: {
    ...COMMON,
    id: sql`f.id`,
    created_at: timeSql(FAILED_AT),
    description: sql`null::text`,
    status: sql`'failed'`,
    error_message: sql`f.components -> 'description' -> 'error' ->> 'message'`,
  },
};

const FILE_METADATA = {
  filename: sql`f.filename`,
  title: sql`f.title`,
  media_type: sql`f.media_type`,
  content_type: sql`f.content_type`,
  content_category: sql`f.content_category`,
} satisfies Partial<Record<HistoryMetadata, Sql>>;

const METADATA: Readonly<Record<Phase, Readonly<Record<HistoryMetadata, Sql>>>> = {
  described: {
    ...FILE_METADATA,
    tags: sql`to_json(d.tags)`,
    provider: sql`d.provider`,
    model: sql`d.model`,
    prompt_version: sql`d.prompt_version`,
    generation: sql`d.generation`,
    input_tokens: sql`d.input_tokens`,
    output_tokens: sql`d.output_tokens`,
  },
  failed: {
    ...FILE_METADATA,
    tags: sql`to_json(f.tags)`,
    provider: sql`null::text`,
    model: sql`null::text`,
    prompt_version: sql`null::text`,
    generation: sql`f.generation`,
    input_tokens: sql`null::int`,
    output_tokens: sql`null::int`,
  },
};

/** The fields whose text may be anything. The others hold neither commas nor quotes, and begin like no formula. */
const ANY_TEXT: ReadonlySet<string> = new Set<HistoryField | HistoryMetadata>([
  'description',
  'error_message',
  'filename',
  'title',
  'tags',
  'provider',
  'model',
  'prompt_version',
]);

/** A cell of a CSV file by RFC 4180; text that a spreadsheet would take for a formula gets an apostrophe. */
function cellSql(name: string, value: Sql): Sql {
  const text = sql`(${value})::text`;
  if (!ANY_TEXT.has(name)) return sql`coalesce(${text}, '')`;
  const quote = sql`case when left(${text}, 1) in ('=', '+', '-', '@', chr(9), chr(13)) then '"''' else '"' end`;
  return sql`coalesce(${quote} || replace(${text}, '"', '""') || '"', '')`;
}

/** The line of one record, as an expression on the rows of a phase. */
export function lineSql(format: DataExportFormat, shape: Shape, phase: Phase): Sql {
  const columns = columnsOf(shape, phase);
  if (format === 'csv') {
    const cells = joinSql(
      columns.map(({ name, value }) => cellSql(name, value)),
      ',',
    );
    return sql`concat_ws(',', ${cells}) || E'\r\n'`;
  }
  const fields = shape.fields.map((name) => pair(name, FIELDS[phase][name]));
  const metadata = HISTORY_METADATA.map((name) => pair(name, METADATA[phase][name]));
  const all = shape.includeMetadata ? [...fields, pair('metadata', object(metadata))] : fields;
  return format === 'json' ? sql`${object(all)}::text` : sql`${object(all)}::text || E'\n'`;
}

/** The first line of a CSV file. */
export function csvHeader(shape: Shape): string {
  return `${columnsOf(shape, 'described')
    .map(({ name }) => name)
    .join(',')}\r\n`;
}

function columnsOf({ fields, includeMetadata }: Shape, phase: Phase): { name: string; value: Sql }[] {
  return [
    ...fields.map((name) => ({ name, value: FIELDS[phase][name] })),
    ...(includeMetadata ? HISTORY_METADATA.map((name) => ({ name, value: METADATA[phase][name] })) : []),
  ];
}

/** Names are ours, so they need no quoting. */
function pair(name: string, value: Sql): Sql {
  return sql`${raw<Sql>(`'${name}'`)}, ${value}`;
}

function object(pairs: readonly Sql[]): Sql {
  return sql`json_build_object(${joinSql(pairs, ',')})`;
}
