import type { EntityManager } from '@mikro-orm/postgresql';
import { plainText, type Cell } from '../../../domain/exports/cell.ts';
import type { ExportCursor } from '../../../domain/exports/cursor.ts';
import type { FilesSpec } from '../../../domain/exports/spec.ts';
import { filterSql, type FileFilter } from '../../files/file-filter.ts';
import { afterSql, orderBy, orderSql, placeSql, upToSql } from '../../files/file-order.ts';
import { resolveScope } from '../../files/folders/resolve-scope.ts';
import { sql, type Sql } from '../../shared/sql.ts';
import { copyText, type TextShape } from '../copy-text.ts';
import { CSV } from '../csv-sql.ts';
import { readRanges, type Range } from '../ranges.ts';
import { PAGE_BYTES, type TextPage } from '../text-source.ts';
import { cellsSql, type CellsFormat } from './cells-sql.ts';

const NEWEST = orderBy('created_at', 'desc');
/** Rows as values are some times as large as their text, and XML waits to be compressed. */
const PAGE_OF_ROWS_BYTES = 1024 * 1024;
const SHAPES: Readonly<Record<CellsFormat, TextShape>> = {
  csv: CSV,
  json: { format: 'text', between: ',', end: '' },
  sheet: { format: 'text', between: '', end: '' },
};

/** Some rows of an export of files, in its order. */
export interface RowPage {
  rows: Cell[][];
  records: number;
  /** Where the rows after it begin; undefined where there are none. */
  cursor: ExportCursor | undefined;
}

/** The files of an export, newest first, after a place in it. */
export interface FileRows {
  header: string[];
  count(): Promise<number>;
  rows(after: ExportCursor | undefined): AsyncIterable<RowPage>;
  /** The rows as lines of a CSV file, or as XML of a sheet. */
  texts(as: 'csv' | 'sheet', after: ExportCursor | undefined): AsyncIterable<TextPage>;
}

/**
 * The files that an export asks for: live ones that were there when it was. Ids of nothing, of deleted files and of other
 * tenants select nothing.
 *
 * @throws AppError NOT_FOUND for its folder
 */
export async function openFileRows(
  em: EntityManager,
  { tenantId, createdAt }: { tenantId: string; createdAt: Date },
  spec: FilesSpec,
): Promise<FileRows> {
  const { columns, fileIds, folderId, includeSubfolders } = spec;
  const folders = await resolveScope(em, tenantId, { folderId, includeSubfolders });
  const filter: FileFilter = { deleted: false, ids: fileIds, folders, to: createdAt };
  const among = filterSql(tenantId, filter);

  async function findEnd({ after, upTo }: Range, size: number): Promise<ExportCursor | undefined> {
    const [end] = await em.fork().execute<ExportCursor[]>(
      sql`select to_json(${placeSql(NEWEST)}) as place from files where ${among}${afterPlace(after)}${upToPlace(upTo)}
        order by ${orderSql(NEWEST)} offset ${size - 1} limit 1`,
    );
    return end;
  }

  async function* pages(
    after: ExportCursor | undefined,
    targetBytes: number,
    as: CellsFormat,
  ): AsyncIterable<TextPage> {
    const { cells, from } = cellsSql(spec, as);
    const read = ({ after: begin, upTo }: Range, maxBytes: number) => {
      const files = sql`select * from files where ${among}${afterPlace(begin)}${upToPlace(upTo)}`;
      return copyText(em, sql`select ${cells} from ${from(files)}`, SHAPES[as], maxBytes);
    };
    for await (const { range, copied } of readRanges({ after, targetBytes, findEnd, read }))
      yield { ...copied, cursor: range.upTo };
  }

  return {
    header: columns.map(({ name }) => plainText(name)),

    async count() {
      const [row] = await em
        .fork()
        .execute<{ count: number }[]>(sql`select count(*)::int as count from files where ${among}`);
      return row?.count ?? 0;
    },

    texts: (as, after) => pages(after, as === 'csv' ? PAGE_BYTES : PAGE_OF_ROWS_BYTES, as),

    async *rows(after) {
      for await (const { text, ...page } of pages(after, PAGE_OF_ROWS_BYTES, 'json'))
        yield { rows: JSON.parse(`[${text.toString()}]`) as Cell[][], ...page };
    },
  };
}

function afterPlace(after: ExportCursor | undefined): Sql {
  return after ? sql` and ${afterSql(NEWEST, after.place)}` : sql``;
}

/** A file that was deleted meanwhile must not be replaced by one of the next range. */
function upToPlace(upTo: ExportCursor | undefined): Sql {
  return upTo ? sql` and ${upToSql(NEWEST, upTo.place)}` : sql``;
}
