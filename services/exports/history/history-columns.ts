import {
  HISTORY_METADATA,
  type HistoryField,
  type HistoryMetadata,
} from '../../../domain/exports/history.ts';
import type { HistorySpec } from '../../../domain/exports/spec.ts';
import { sql, type Sql } from '../../shared/sql.ts';
import type { Column } from '../table.ts';
import { FAILED_AT, FAILED_REASON, SOURCE_TYPE, timeSql } from './history-sql.ts';

/** Records with a description, then those without one because of a failure. */
export type Phase = 'described' | 'failed';

/** A column with its value in the rows of each phase. */
type HistoryColumn = Column & Readonly<Record<Phase, Sql>>;
type Value = Omit<HistoryColumn, 'name' | 'within'>;

const NOTHING = sql`null`;
const text = (described: Sql, failed: Sql): Value => ({ type: 'text', described, failed });
const number = (described: Sql, failed: Sql): Value => ({ type: 'number', described, failed });
/** A value of the file, so the same in both phases. */
const common = (value: Sql): Value => text(value, value);

const FIELDS: Readonly<Record<HistoryField, Value>> = {
  id: text(sql`d.id`, sql`f.id`),
  type: common(sql`'description'`),
  source_type: common(SOURCE_TYPE),
  source_id: common(sql`coalesce(f.session_id, f.id)`),
  created_at: text(timeSql(sql`d.created_at`), timeSql(FAILED_AT)),
  image_id: common(sql`f.id`),
  // A temporary URL would have expired before the file is read.
  image_url: common(sql`'/api/v2/files/' || f.id || '/download'`),
  description: text(sql`d.description`, NOTHING),
  confidence_score: common(NOTHING),
  verification: common(NOTHING),
  status: text(sql`'completed'`, sql`'failed'`),
  error_message: text(NOTHING, FAILED_REASON),
};

const METADATA: Readonly<Record<HistoryMetadata, Value>> = {
  filename: common(sql`f.filename`),
  title: common(sql`f.title`),
  tags: { type: 'json', described: sql`to_json(d.tags)`, failed: sql`to_json(f.tags)` },
  media_type: common(sql`f.media_type`),
  content_type: common(sql`f.content_type`),
  content_category: common(sql`f.content_category`),
  provider: text(sql`d.provider`, NOTHING),
  model: text(sql`d.model`, NOTHING),
  prompt_version: text(sql`d.prompt_version`, NOTHING),
  generation: number(sql`d.generation`, sql`f.generation`),
  input_tokens: number(sql`d.input_tokens`, NOTHING),
  output_tokens: number(sql`d.output_tokens`, NOTHING),
};

/** The columns that an export of the history has. */
export function historyColumns({
  fields,
  includeMetadata,
}: Pick<HistorySpec, 'fields' | 'includeMetadata'>): HistoryColumn[] {
  const metadata = includeMetadata ? HISTORY_METADATA : [];
  return [
    ...fields.map((name) => ({ name, ...FIELDS[name] })),
    ...metadata.map((name) => ({ name, within: 'metadata', ...METADATA[name] })),
  ];
}
