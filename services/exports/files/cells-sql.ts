import { raw } from '@mikro-orm/core';
import type { FileColumn } from '../../../domain/exports/file-columns.ts';
import type { FilesSpec } from '../../../domain/exports/spec.ts';
import { joinSql, sql, type Sql } from '../../shared/sql.ts';
import { csvTextSql } from '../csv-sql.ts';
import { sheetRowSql, type CellKind } from '../sheet-sql.ts';
import {
  columnSql,
  fileJoins,
  FREE_TEXTS,
  FROM_DESCRIPTION,
  LATEST_DESCRIPTION,
  NUMBERS,
  TAGS_AS_JSON,
} from './column-sql.ts';
import { arePlainSql, plainSql } from './plain-sql.ts';

export type CellsFormat = 'csv' | 'json' | 'sheet';

/**
 * The rows of an export of files, newest first: as cells of a CSV file, which COPY puts together, as one JSON list, or as
 * one row of a sheet.
 *
 * @returns expressions, and the rows that they are to be selected from, for a selection of files
 */
export function cellsSql(
  { columns, flattenTags }: Pick<FilesSpec, 'columns' | 'flattenTags'>,
  as: CellsFormat,
): { cells: Sql; from: (files: Sql) => Sql } {
  const keys = columns.map(({ key }) => key);
  const values = keys.map((key) => (key === 'tags' && !flattenTags ? TAGS_AS_JSON : columnSql(key)));
  const names = keys.map((_key, at) => raw<Sql>(`c${at}`));
  const isFree = (at: number) => FREE_TEXTS.has(keys[at] as FileColumn);
  const described = keys.some((key) => FROM_DESCRIPTION.has(key)) ? LATEST_DESCRIPTION : sql``;

  const joined = fileJoins().reduce((all, join): Sql => sql`${all}${join}`, sql``);

  const each = (of: (name: Sql, at: number) => Sql): Sql => joinSql(names.map(of), ',');
  const valued = joinSql(
    values.map((value, at): Sql => sql`${value} as ${names[at] as Sql}`),
    ',',
  );
  const plain = each((name, at) =>
    isFree(at) ? sql`case when are_plain then ${name} else ${plainSql(name)} end as ${name}` : name,
  );
  const kindAt = (at: number): CellKind => {
    if (isFree(at)) return 'free text';
    return NUMBERS.has(keys[at] as FileColumn) ? 'number' : 'text';
  };
  const cells = {
    csv: () => each((name, at) => (isFree(at) ? csvTextSql(name) : name)),
    json: () => sql`json_build_array(${each((name) => name)})`,
    sheet: () => sheetRowSql(names.map((value, at) => ({ kind: kindAt(at), value }))),
  }[as]();
  return {
    cells,
    // An offset keeps the planner from computing a value wherever its name stands.
    from: (files) => sql`(select ${plain} from (
      select *, ${arePlainSql(names.filter((_name, at) => isFree(at)))} as are_plain from (
        select ${valued} from (${files}) as f${joined}${described}
        order by f.created_at desc, f.id desc offset 0
      ) as valued offset 0) as checked offset 0) as plain`,
  };
}
