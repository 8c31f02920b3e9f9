import type { EntityManager } from '@mikro-orm/postgresql';
import { plainText, type Cell } from '../../../domain/exports/cell.ts';
import type { ExportCursor } from '../../../domain/exports/cursor.ts';
import type { FilesSpec } from '../../../domain/exports/spec.ts';
import { filterSql, type FileFilter } from '../../files/file-filter.ts';
import { afterSql, orderBy, orderSql, placeSql } from '../../files/file-order.ts';
import { resolveScope } from '../../files/folders/resolve-scope.ts';
import { joinSql, sql, type Sql } from '../../shared/sql.ts';
import { COLUMN_SQL, TAGS_AS_JSON } from './column-sql.ts';

/** Rows in one statement. Each may have some texts of the length of a cell. */
const PAGE = 200;
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

  return {
    header: columns.map(({ name }) => plainText(name)),

    async count() {
      const [row] = await em
        .fork()
        .execute<{ count: number }[]>(sql`select count(*)::int as count from files where ${among}`);
      return row?.count ?? 0;
    },

    async *pages(after) {
      for (let cursor = after; ;) {
        const rows = await em.fork().execute<Row[]>(pageSql(among, values, cursor));
        const last = rows.at(-1);
        if (!last) return;
        cursor = { place: last.place };
        yield { rows: rows.map(({ cells }) => cells.map(toCell)), cursor };
        if (rows.length < PAGE) return;
      }
    },
  };
}

interface Row {
  cells: Cell[];
  place: string[];
}

function pageSql(among: Sql, values: readonly Sql[], after: ExportCursor | undefined): Sql {
  const beyond = after ? sql` and ${afterSql(NEWEST, after.place)}` : sql``;
  return sql`select json_build_array(${joinSql(values, ',')}) as cells, f.place
    from (select *, to_json(${placeSql(NEWEST)}) as place from files where ${among}${beyond}
      order by ${orderSql(NEWEST)} limit ${PAGE}) as f
    left join image_details i on i.file_id = f.id left join document_details d on d.file_id = f.id
    order by f.created_at desc, f.id desc`;
}

function toCell(value: Cell): Cell {
  return typeof value === 'string' ? plainText(value) : value;
}
