import type { EntityManager } from '@mikro-orm/postgresql';
import type { ExportCursor } from '../../../domain/exports/export.ts';
import type { HistorySpec } from '../../../domain/exports/spec.ts';
import { joinSql, sql, type Sql } from '../../shared/sql.ts';
import { readRanges, type Range } from '../ranges.ts';
import { readText, type RowsText, type Table, type TextLayout, type Column } from '../table.ts';
import {
  afterDescribed,
  afterFailed,
  DESCRIBED_ORDER,
  describedPlaceSql,
  describedSql,
  FAILED_ORDER,
  failedPlaceSql,
  failedSql,
  upToDescribed,
  upToFailed,
  FAILED_AT,
  FAILED_REASON,
  SOURCE_TYPE,
  timeSql,
} from './history-sql.ts';
import {
  HISTORY_METADATA,
  type HistoryField,
  type HistoryMetadata,
} from '../../../domain/exports/history.ts';

const ORDERS: Readonly<Record<Phase, Sql>> = { described: DESCRIBED_ORDER, failed: FAILED_ORDER };
const TITLE = 'Descriptions';

/** The history of a tenant up to the time of the export request, newest first. */
export function openHistoryTable(
  em: EntityManager,
  { tenantId, createdAt }: { tenantId: string; createdAt: Date },
  spec: HistorySpec,
): Table {
  const until = createdAt.toISOString();
  const { to } = spec.filter;
  const filter = { ...spec.filter, to: to !== undefined && to < until ? to : until };
  const columns = historyColumns(spec);
  const phases: Phase[] = spec.includeFailed ? ['described', 'failed'] : ['described'];
  const among: Readonly<Record<Phase, Sql>> = {
    described: describedSql(tenantId, filter),
    failed: failedSql(tenantId, filter),
  };

  function read(
    phase: Phase,
    range: Range,
    layout: Pick<TextLayout, 'row' | 'between'>,
    { maxBytes, limit }: { maxBytes?: number; limit?: number },
  ): Promise<RowsText> {
    const values = joinSql(
      columns.map((column) => column[phase]),
      ',',
    );
    const most = limit === undefined ? sql`` : sql` limit ${limit}`;
    const select = sql`select ${values} ${among[phase]}${rangeSql(phase, range)} order by ${ORDERS[phase]}${most}`;
    return readText(em, select, layout, maxBytes);
  }

  async function findEnd(phase: Phase, within: Range, size: number) {
    const [end] = await em
      .fork()
      .execute<ExportCursor[]>(
        phase === 'described'
          ? describedPlaceSql(tenantId, filter, rangeSql(phase, within), size)
          : failedPlaceSql(tenantId, filter, rangeSql(phase, within), size),
      );
    return end && { ...(phase === 'failed' && { phase }), place: end.place };
  }

  return {
    title: TITLE,
    sheetName: TITLE,
    columns,

    async count() {
      let all = 0;
      for (const phase of phases) {
        const [row] = await em
          .fork()
          .execute<{ count: number }[]>(sql`select count(*)::int as count ${among[phase]}`);
        all += row?.count ?? 0;
      }
      return Math.min(all, spec.limit);
    },

    async *pages(layout, { after, written, pageBytes }) {
      let left = spec.limit - written;
      const current = after?.phase ?? 'described';
      for (const phase of phases.slice(phases.indexOf(current))) {
        if (left <= 0) return;
        const ranges = readRanges({
          after: phase === current ? after : undefined,
          targetBytes: pageBytes,
          // More than remain, because a filter may select few of them.
          findEnd: (within, size) => findEnd(phase, within, size),
          read: (range, maxBytes) => read(phase, range, layout, { maxBytes }),
        });
        for await (const { range, page } of ranges) {
          if (page.records >= left) {
            const last = page.records === left ? page : await read(phase, range, layout, { limit: left });
            return yield { ...last, cursor: undefined };
          }
          left -= page.records;
          yield { ...page, cursor: range.upTo };
        }
      }
    },
  };
}

/** The condition of a range. */
function rangeSql(phase: Phase, { after, upTo }: Range): Sql {
  const none = sql``;
  const [begin, end] =
    phase === 'described'
      ? [after ? afterDescribed(after) : none, upTo ? upToDescribed(upTo) : none]
      : [after ? afterFailed(after) : none, upTo ? upToFailed(upTo) : none];
  return sql`${begin}${end}`;
}

/** Records with a description, then those without one because of a failure. */
type Phase = 'described' | 'failed';

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
function historyColumns({
  fields,
  includeMetadata,
}: Pick<HistorySpec, 'fields' | 'includeMetadata'>): HistoryColumn[] {
  const metadata = includeMetadata ? HISTORY_METADATA : [];
  return [
    ...fields.map((name) => ({ name, ...FIELDS[name] })),
    ...metadata.map((name) => ({ name, within: 'metadata', ...METADATA[name] })),
  ];
}
