import type { EntityManager } from '@mikro-orm/postgresql';
import { plainText, type Cell } from '../../../domain/exports/cell.ts';
import type { ExportCursor } from '../../../domain/exports/cursor.ts';
import type { FileColumn } from '../../../domain/exports/file-columns.ts';
import type { FilesSpec } from '../../../domain/exports/spec.ts';
import { filterSql, type FileFilter } from '../../files/file-filter.ts';
import { afterSql, orderBy, orderSql, placeSql } from '../../files/file-order.ts';
import { resolveScope } from '../../files/folders/resolve-scope.ts';
import { joinSql, sql, type Sql } from '../../shared/sql.ts';
import { readRanges, type Range } from '../ranges.ts';
import { COLUMN_SQL, FROM_DESCRIPTION, LATEST_DESCRIPTION, LONG_TEXTS, TAGS_AS_JSON } from './column-sql.ts';

/** Rows in one statement; fewer where each may have texts of the length of a cell. */
const PAGE = 2_000;
const PAGE_OF_TEXTS = 100;
const NEWEST = orderBy('created_at', 'desc');

/** Some rows of an export of files, in its order. */
export interface RowPage {
  rows: Cell[][];
  /** The last of them. */
  cursor: ExportCursor;
}

/** The files of an export. */
export interface FileRows {
  header: string[];
  count(): Promise<number>;
  /** The rows after this one, newest file first. */
  pages(after: ExportCursor | undefined): AsyncIterable<RowPage>;
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
  { columns, fileIds, folderId, includeSubfolders, flattenTags }: FilesSpec,
): Promise<FileRows> {
  const folders = await resolveScope(em, tenantId, { folderId, includeSubfolders });
  const filter: FileFilter = { deleted: false, ids: fileIds, folders, to: createdAt };
  const among = filterSql(tenantId, filter);
  const values = columns.map(({ key }) => (key === 'tags' && !flattenTags ? TAGS_AS_JSON : COLUMN_SQL[key]));
  const has = (keys: ReadonlySet<FileColumn>) => columns.some(({ key }) => keys.has(key));
  const size = has(LONG_TEXTS) ? PAGE_OF_TEXTS : PAGE;
  const described = has(FROM_DESCRIPTION) ? LATEST_DESCRIPTION : sql``;

  async function findEnd(begin: ExportCursor | undefined): Promise<ExportCursor | undefined> {
    const [end] = await em.fork().execute<ExportCursor[]>(
      sql`select to_json(${placeSql(NEWEST)}) as place from files where ${among}${afterPlace(begin)}
        order by ${orderSql(NEWEST)} offset ${size - 1} limit 1`,
    );
    return end;
  }

  async function read({ after, upTo }: Range): Promise<RowPage | undefined> {
    const rows = await em.fork().execute<Row[]>(
      sql`select json_build_array(${joinSql(values, ',')}) as cells, f.place
        from (select *, to_json(${placeSql(NEWEST)}) as place from files where ${among}${afterPlace(after)}${upToPlace(upTo)}
          order by ${orderSql(NEWEST)} limit ${size}) as f
        left join image_details i on i.file_id = f.id left join document_details d on d.file_id = f.id${described}
        order by f.created_at desc, f.id desc`,
    );
    const last = rows.at(-1);
    return last && { rows: rows.map(({ cells }) => cells.map(toCell)), cursor: { place: last.place } };
  }

  return {
    header: columns.map(({ name }) => plainText(name)),

    async count() {
      const [row] = await em
        .fork()
        .execute<{ count: number }[]>(sql`select count(*)::int as count from files where ${among}`);
      return row?.count ?? 0;
    },

    async *pages(after) {
      for await (const page of readRanges(after, findEnd, read)) if (page) yield page;
    },
  };
}

interface Row {
  cells: Cell[];
  place: string[];
}

function afterPlace(after: ExportCursor | undefined): Sql {
  return after ? sql` and ${afterSql(NEWEST, after.place)}` : sql``;
}

/** A file that was deleted meanwhile must not be replaced by one of the next range. */
function upToPlace(upTo: ExportCursor | undefined): Sql {
  return upTo ? sql` and not ${afterSql(NEWEST, upTo.place)}` : sql``;
}

function toCell(value: Cell): Cell {
  return typeof value === 'string' ? plainText(value) : value;
}
