/** The rows of a sheet of a workbook as elements: cells are far apart, and blocks of them are tables. */
import type { MergedCells } from '../document/element.ts';
import { type CellCount, checkGrid, tableElements } from './grid.ts';
import type { FlowElement } from './paginate.ts';

/** A row of a sheet with content. */
export interface SheetRow {
  /** From 0, as all numbers here. */
  row: number;
  /** Texts by column; a merged cell repeats its text. */
  cells: Map<number, string>;
  /** Number of cells, a merged one once. */
  own: number;
  /** Merged cells that begin in this row, by their first column. */
  merged: Map<number, Pick<MergedCells, 'rows' | 'columns'>>;
}

/**
 * Rows without an empty row between them are a table; rows of one cell above it are its title or notes. Columns without
 * content are left out.
 */
export function sheetElements(rows: readonly SheetRow[]): FlowElement[] {
  const groups: SheetRow[][] = [];
  for (const [at, row] of rows.entries()) {
    if (at === 0 || row.row > (rows[at - 1]?.row ?? 0) + 1) groups.push([]);
    groups.at(-1)?.push(row);
  }
  return groups.flatMap((group) => {
    const first = group.findIndex(({ own }) => own > 1);
    const above = (first < 0 ? group : group.slice(0, first)).map(({ cells }): FlowElement => {
      return { type: 'paragraph', content: [...new Set(cells.values())].join(' ') };
    });
    return first < 0 ? above : [...above, ...tableOfRows(group.slice(first))];
  });
}

function tableOfRows(rows: readonly SheetRow[]): FlowElement[] {
  const used = new Set(rows.flatMap(({ cells }) => [...cells.keys()]));
  const columns = [...used].toSorted((a, b) => a - b);
  checkGrid(rows.length, columns.length);
  const places = new Map(columns.map((column, at) => [column, at]));
  const merged = rows.flatMap((each, row) =>
    [...each.merged].flatMap(([from, area]) => {
      // A merged cell has its text in each of its columns.
      const [column, last] = [places.get(from), places.get(from + area.columns - 1)];
      if (column === undefined || last === undefined) return [];
      return [{ row, column, rows: Math.min(area.rows, rows.length - row), columns: last - column + 1 }];
    }),
  );
  const grid = rows.map(({ cells }) => columns.map((column) => cells.get(column) ?? ''));
  return tableElements(grid, merged);
}

/** Cells that merges may cover; no sheet for people has more. */
const MAX_COVERED = 4_000_000;

/** Repeats the text of merged cells in the rows and columns they cover, where the rows have other content. @param rows in their order */
export function repeatMerged(
  merges: readonly MergedCells[],
  rows: ReadonlyMap<number, SheetRow>,
  count: CellCount,
): void {
  const last = [...rows.keys()].at(-1) ?? -1;
  let covered = 0;
  for (const { row, column: from, rows: down, columns: across } of merges) {
    const first = rows.get(row);
    const text = first?.cells.get(from);
    if (!first || text === undefined) continue;
    for (let at = row; at <= Math.min(row + down - 1, last); at++) {
      const target = rows.get(at);
      for (let column = from; column < from + across; column++) {
        covered += 1;
        if (covered > MAX_COVERED) return;
        if (!target || target.cells.has(column)) continue;
        count.add(text);
        target.cells.set(column, text);
      }
    }
    if (down > 0 && across > 0) first.merged.set(from, { rows: down, columns: across });
  }
}
