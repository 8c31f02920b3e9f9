import type { EntityManager } from '@mikro-orm/postgresql';
import type { ExportCursor } from '../../../domain/exports/cursor.ts';
import { EXPORT_CONTENT_TYPES, type DataExportFormat } from '../../../domain/exports/export.ts';
import type { HistorySpec } from '../../../domain/exports/spec.ts';
import { sql, type Sql } from '../../shared/sql.ts';
import type { TextPage, TextSource } from '../text-source.ts';
import {
  afterDescribed,
  afterFailed,
  DESCRIBED_ORDER,
  DESCRIBED_PLACE,
  describedSql,
  FAILED_ORDER,
  FAILED_PLACE,
  failedSql,
} from './history-sql.ts';
import { csvHeader, lineSql } from './record-lines.ts';

/** Records in one statement: some milliseconds of work, and a megabyte of text. */
const PAGE = 2_000;

const SHAPES: Readonly<Record<DataExportFormat, Pick<TextSource, 'head' | 'between' | 'tail'>>> = {
  csv: { head: '', between: '', tail: '' },
  jsonl: { head: '', between: '', tail: '' },
  json: { head: '[\n', between: ',\n', tail: '\n]\n' },
};
/** Between two records of one page. */
const SEPARATORS: Readonly<Record<DataExportFormat, string>> = { csv: '', jsonl: '', json: ',\n' };

interface Row {
  text: string | null;
  records: number;
  place: string[] | null;
}

/**
 * The history of a tenant as text, up to the moment at which the export was asked for. Postgres writes the lines: they
 * arrive as one value a page, and nothing is done for each record here.
 */
export function historySource(
  em: EntityManager,
  { tenantId, createdAt }: { tenantId: string; createdAt: Date },
  spec: HistorySpec,
  format: DataExportFormat,
): TextSource {
  const until = createdAt.toISOString();
  const { to } = spec.filter;
  const filter = { ...spec.filter, to: to !== undefined && to < until ? to : until };
  const shape = SHAPES[format];

  async function read(cursor: ExportCursor | undefined, limit: number): Promise<TextPage | undefined> {
    const failed = cursor?.phase === 'failed';
    const line = lineSql(format, spec, failed ? 'failed' : 'described');
    const among = failed
      ? sql`${failedSql(tenantId, filter)}${afterFailed(cursor)} order by ${FAILED_ORDER}`
      : sql`${describedSql(tenantId, filter)}${cursor ? afterDescribed(cursor) : sql``} order by ${DESCRIBED_ORDER}`;
    const place = failed ? FAILED_PLACE : DESCRIBED_PLACE;
    const [row] = await em.fork().execute<Row[]>(pageSql(line, place, among, SEPARATORS[format], limit));
    if (!row?.place || row.text === null) return undefined;
    const at: ExportCursor = { ...(failed && { phase: 'failed' }), place: row.place };
    return { text: row.text, records: row.records, cursor: at };
  }

  return {
    contentType: EXPORT_CONTENT_TYPES[format],
    ...shape,
    head: format === 'csv' ? csvHeader(spec) : shape.head,

    async count() {
      const statements = [
        describedSql(tenantId, filter),
        ...(spec.includeFailed ? [failedSql(tenantId, filter)] : []),
      ];
      let all = 0;
      for (const among of statements) {
        const [row] = await em
          .fork()
          .execute<{ count: number }[]>(sql`select count(*)::int as count ${among}`);
        all += row?.count ?? 0;
      }
      return Math.min(all, spec.limit);
    },

    async *pages(after, written) {
      let cursor = after;
      for (let left = spec.limit - written; left > 0;) {
        const page = await read(cursor, Math.min(PAGE, left));
        if (page) {
          yield page;
          left -= page.records;
          cursor = page.cursor;
        } else if (spec.includeFailed && cursor?.phase !== 'failed') cursor = { phase: 'failed', place: [] };
        else return;
      }
    },
  };
}

/** One row: the lines of a page, how many there are, and the place of the last. Aggregates keep the order of the rows. */
function pageSql(line: Sql, place: Sql, among: Sql, separator: string, limit: number): Sql {
  return sql`select string_agg(line, ${separator}) as text, count(*)::int as records,
      (array_agg(to_json(place)))[count(*)::int] as place
    from (select ${line} as line, ${place} as place ${among} limit ${limit}) as page`;
}
