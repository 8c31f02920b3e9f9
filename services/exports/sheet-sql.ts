import { concatSql, sql, type Sql } from '../shared/sql.ts';

/** How a value is written into a cell of a sheet. */
export type CellKind = 'number' | 'free text' | 'text';

/** A row of a sheet as XML, by ECMA-376: positions follow from the order, so that a row says nothing of its place. */
export function sheetRowSql(cells: readonly { kind: CellKind; value: Sql }[]): Sql {
  const all = cells.map(
    ({ kind, value }): Sql => sql`case when ${value} is null then '<c/>' else ${CELLS[kind](value)} end`,
  );
  return concatSql([sql`'<row>'`, ...all, sql`'</row>'`]);
}

const CELLS: Readonly<Record<CellKind, (value: Sql) => Sql>> = {
  number: (value) => sql`concat('<c><v>', ${value}, '</v></c>')`,
  text: (value) => sql`concat('<c t="inlineStr"><is><t>', ${value}, '</t></is></c>')`,
  'free text': (value) =>
    sql`concat('<c t="inlineStr"><is><t xml:space="preserve">',
      replace(replace(replace(${value}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '</t></is></c>')`,
};
