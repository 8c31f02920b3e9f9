import type { EntityManager } from '@mikro-orm/postgresql';
import type { RowValues } from '../../../db/stream-rows.ts';
import { plainText } from '../../../domain/exports/cell.ts';
import type { ExportCursor } from '../../../domain/exports/export.ts';
import { NUMBER_COLUMNS } from '../../../domain/exports/file-columns.ts';
import type { FilesSpec } from '../../../domain/exports/spec.ts';
import { filterSql, type FileFilter } from '../../files/file-filter.ts';
import { afterSql, orderBy, orderSql, placeSql, upToSql } from '../../files/file-order.ts';
import { resolveScope } from '../../files/folders/resolve-scope.ts';
import { allMedia, type MediumExports } from '../../media/medium.ts';
import { joinSql, sql, type Sql } from '../../shared/sql.ts';
import { readRanges, type Range } from '../ranges.ts';
import { readText, type Column, type Table } from '../table.ts';
import { COMMON_COLUMNS, DESCRIPTION_COLUMNS, TAGS_AS_JSON } from './common-columns.ts';

/** The value of a column that no medium fills. */
const NOTHING = sql`null`;
const NEWEST = orderBy('created_at', 'desc');

/**
 * The files selected for an export, newest first: live ones that existed when it was requested. Unknown ids, and those
 * of deleted files and of other tenants, select nothing. Texts are limited to characters that every format supports.
 *
 * @throws AppError NOT_FOUND for its folder
 */
export async function openFilesTable(
  em: EntityManager,
  { tenantId, createdAt }: { tenantId: string; createdAt: Date },
  spec: FilesSpec,
): Promise<Table> {
  const { fileIds, folderId, includeSubfolders, title, sheetName } = spec;
  const folders = await resolveScope(em, tenantId, { folderId, includeSubfolders });
  const filter: FileFilter = { deleted: false, ids: fileIds, folders, to: createdAt };
  const among = filterSql(tenantId, filter);
  const columns = spec.columns.map(({ key, name }): Column => {
    return { name: plainText(name), type: NUMBER_COLUMNS.has(key) ? 'number' : 'text' };
  });

  async function findEnd({ after, upTo }: Range, size: number): Promise<ExportCursor | undefined> {
    const [end] = await em.fork().execute<ExportCursor[]>(
      sql`select to_json(${placeSql(NEWEST)}) as place from files where ${among}${afterPlace(after)}${upToPlace(upTo)}
        order by ${orderSql(NEWEST)} offset ${size - 1} limit 1`,
    );
    return end;
  }

  return {
    title,
    sheetName,
    columns,

    async count() {
      const [row] = await em
        .fork()
        .execute<{ count: number }[]>(sql`select count(*)::int as count from files where ${among}`);
      return row?.count ?? 0;
    },

    async *pages({ row, between }, { after, pageBytes }) {
      const layout = { between, row: (values: RowValues) => row(plainTexts(values)) };
      const read = ({ after: begin, upTo }: Range, maxBytes: number) => {
        const files = sql`select * from files where ${among}${afterPlace(begin)}${upToPlace(upTo)}`;
        return readText(em, rowsSql(spec, files), layout, maxBytes);
      };
      for await (const { range, page } of readRanges({ after, targetBytes: pageBytes, findEnd, read }))
        yield { ...page, cursor: range.upTo };
    },
  };
}

/** The columns of these files, newest first. */
function rowsSql({ columns, flattenTags }: Pick<FilesSpec, 'columns' | 'flattenTags'>, files: Sql): Sql {
  const offered = allMedia().flatMap(({ exports }) => exports ?? []);
  const all: readonly MediumExports[] = [COMMON_COLUMNS, DESCRIPTION_COLUMNS, ...offered];
  const sources = all.filter((source) => columns.some(({ key }) => key in source.columns));
  const valueOf = Object.assign({}, ...all.map((source) => source.columns)) as MediumExports['columns'];
  const values = columns.map(({ key }) =>
    key === 'tags' && !flattenTags ? TAGS_AS_JSON : (valueOf[key] ?? NOTHING),
  );
  const joins = sources.reduce((former, source): Sql => sql`${former}${source.joins}`, sql``);
  return sql`select ${joinSql(values, ',')} from (${files}) as f${joins} order by f.created_at desc, f.id desc`;
}

/** Changes the row in place, since it has no other reader. */
function plainTexts(values: RowValues): RowValues {
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at];
    if (value) values[at] = plainText(value);
  }
  return values;
}

function afterPlace(after: ExportCursor | undefined): Sql {
  return after ? sql` and ${afterSql(NEWEST, after.place)}` : sql``;
}

/** A file that was deleted meanwhile must not be replaced by one of the next range. */
function upToPlace(upTo: ExportCursor | undefined): Sql {
  return upTo ? sql` and ${upToSql(NEWEST, upTo.place)}` : sql``;
}
