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

/** Where a run of a text has to end: within one, `_x0041_` would stand for an A, by ECMA-376. */
const RUN_ENDS = sql`${'_(?=x[0-9A-Fa-f]{4}_)'}`;
const TEXT = sql`'<t xml:space="preserve">'`;

const CELLS: Readonly<Record<CellKind, (value: Sql) => Sql>> = {
  number: (value) => sql`concat('<c><v>', ${value}, '</v></c>')`,
  text: (value) => sql`concat('<c t="inlineStr"><is><t>', ${value}, '</t></is></c>')`,
  'free text': (value) => {
    const escaped = sql`replace(replace(replace(${value}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`;
    // Not as `_x005F_`, which not every reader of cells understands.
    return sql`case when strpos(${value}, '_x') = 0 then concat('<c t="inlineStr"><is>', ${TEXT}, ${escaped}, '</t></is></c>')
      else concat('<c t="inlineStr"><is><r>', ${TEXT},
        regexp_replace(${escaped}, ${RUN_ENDS}, concat('_</t></r><r>', ${TEXT}), 'g'), '</t></r></is></c>') end`;
  },
};
