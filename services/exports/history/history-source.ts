import type { EntityManager } from '@mikro-orm/postgresql';
import type { ExportCursor } from '../../../domain/exports/cursor.ts';
import { EXPORT_CONTENT_TYPES, type DataExportFormat } from '../../../domain/exports/export.ts';
import type { HistorySpec } from '../../../domain/exports/spec.ts';
import { sql, type Sql } from '../../shared/sql.ts';
import { readRanges, type Range } from '../ranges.ts';
import type { TextPage, TextSource } from '../text-source.ts';
import {
  afterDescribed,
  afterFailed,
  DESCRIBED_ORDER,
  DESCRIBED_PLACE,
  describedPlaceSql,
  describedSql,
  FAILED_ORDER,
  FAILED_PLACE,
  failedSql,
  upToDescribed,
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

  async function read(sqlOfPage: Sql, phase: Pick<ExportCursor, 'phase'>): Promise<TextPage | undefined> {
    const [row] = await em.fork().execute<Row[]>(sqlOfPage);
    if (!row?.place || row.text === null) return undefined;
    return { text: row.text, records: row.records, cursor: { ...phase, place: row.place } };
  }

  function readDescribed({ after, upTo }: Range, limit: number): Promise<TextPage | undefined> {
    const begin = after ? afterDescribed(after) : sql``;
    const end = upTo ? upToDescribed(upTo) : sql``;
    const among = sql`${describedSql(tenantId, filter)}${begin}${end} order by ${DESCRIBED_ORDER}`;
    const line = lineSql(format, spec, 'described');
    return read(pageSql(line, DESCRIBED_PLACE, among, SEPARATORS[format], limit), {});
  }

  function readFailed(after: ExportCursor, limit: number): Promise<TextPage | undefined> {
    const among = sql`${failedSql(tenantId, filter)}${afterFailed(after)} order by ${FAILED_ORDER}`;
    const line = lineSql(format, spec, 'failed');
    return read(pageSql(line, FAILED_PLACE, among, SEPARATORS[format], limit), { phase: 'failed' });
  }

  async function findEnd(after: ExportCursor | undefined, size: number): Promise<ExportCursor | undefined> {
    const [end] = await em.fork().execute<ExportCursor[]>(describedPlaceSql(tenantId, filter, after, size));
    return end;
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
      let left = spec.limit - written;
      if (after?.phase !== 'failed') {
        const size = Math.min(PAGE, left);
        const ranges = readRanges(
          after,
          (begin) => findEnd(begin, size),
          async (range) => ({ range, page: await readDescribed(range, size) }),
        );
        for await (const { range, page } of ranges) {
          if (!page) continue;
          const fitting = page.records <= left ? page : await readDescribed(range, left);
          if (fitting) yield fitting;
          left -= page.records;
          if (left <= 0) return;
        }
      }
      if (!spec.includeFailed) return;
      for (
        let cursor = after?.phase === 'failed' ? after : { phase: 'failed' as const, place: [] };
        left > 0;
      ) {
        const page: TextPage | undefined = await readFailed(cursor, Math.min(PAGE, left));
        if (!page) return;
        yield page;
        left -= page.records;
        cursor = { phase: 'failed', place: page.cursor.place };
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
