import { boxAround, contains, heightOf, overlapX, widthOf, type Box } from './geometry.ts';
import type { Run } from './page-parts.ts';
import { makeSegment, toRows } from './segments.ts';
import { joinLines } from './plain-text.ts';

export interface TableGrid {
  box: Box;
  rows: string[][];
}

/** A table with the runs that it consists of. */
export interface RuledTable {
  table: TableGrid;
  used: Set<Run>;
}

/** Line ends closer than this touch. */
const TOUCH = 3;
/** A line is at most this thick. */
export const THICK = 3;
/** A cell is at least this high and wide. */
const SMALLEST_CELL = 5;

/** Tables with drawn lines in both directions, with the runs inside each cell. */
export function ruledTables(rules: readonly Box[], runs: readonly Run[]): RuledTable[] {
  const across = mergeLines(rules.filter((rule) => heightOf(rule) <= THICK && widthOf(rule) > SMALLEST_CELL));
  const down = mergeLines(
    rules.filter((rule) => widthOf(rule) <= THICK && heightOf(rule) > SMALLEST_CELL).map(transpose),
  ).map(transpose);
  return groupTouching([...across, ...down]).flatMap((group) => {
    const rows = positions(
      group.filter((rule) => widthOf(rule) > heightOf(rule)).map(({ y0, y1 }) => (y0 + y1) / 2),
    );
    const columns = positions(
      group.filter((rule) => heightOf(rule) >= widthOf(rule)).map(({ x0, x1 }) => (x0 + x1) / 2),
    );
    if (rows.length < 3 || columns.length < 3) return [];
    const box = boxAround(group);
    return readGrid(box, rows, columns, runs);
  });
}

function readGrid(box: Box, ys: readonly number[], xs: readonly number[], runs: readonly Run[]) {
  const cells = ys.slice(1).map(() => xs.slice(1).map((): Run[] => []));
  const used = new Set<Run>();
  for (const run of runs) {
    const [x, y] = [(run.x0 + run.x1) / 2, run.baseline - run.size * 0.3];
    if (!contains(box, x, y)) continue;
    // Text that runs over several columns belongs to a spanning cell and is placed in the first of them.
    const at = run.x0 + Math.min(run.size, widthOf(run)) / 2;
    const column = xs.findLastIndex((edge) => edge <= at);
    const row = ys.findLastIndex((edge) => edge <= y);
    cells[Math.min(Math.max(row, 0), cells.length - 1)]?.[Math.min(Math.max(column, 0), xs.length - 2)]?.push(
      run,
    );
    used.add(run);
  }
  const rows = cells
    .map((row) => row.map(cellText))
    .filter((row, index, all) => row.some((text) => text !== '') || index < all.length - 1);
  const filled = rows.flat().filter((text) => text !== '').length;
  // A frame, a form's empty boxes or a chart's grid is no table.
  const inhabited = rows.filter((row) => row.filter((text) => text !== '').length >= 2).length;
  if (filled < 4 || inhabited < 2) return [];
  return [{ table: { box, rows: rows.filter((row) => row.some((text) => text !== '')) }, used }];
}

export function cellText(runs: readonly Run[]): string {
  return joinLines(toRows(runs).map((row) => makeSegment(row).text));
}

/** Distinct sorted positions; a line drawn twice, or as a thin rectangle's two edges, counts once. */
function positions(values: readonly number[]): number[] {
  const distinct: number[] = [];
  for (const value of values.toSorted((a, b) => a - b))
    if (value - (distinct.at(-1) ?? -Infinity) > SMALLEST_CELL) distinct.push(value);
  return distinct;
}

/** Merges the pieces of each horizontal line. */
export function mergeLines(rules: readonly Box[]): Box[] {
  const merged: Box[] = [];
  for (const rule of rules.toSorted((a, b) => a.y0 - b.y0 || a.x0 - b.x0)) {
    const same = merged.findLast(
      (other) => Math.abs(other.y0 - rule.y0) < TOUCH / 2 && overlapX(other, rule) > -TOUCH,
    );
    if (same) Object.assign(same, boxAround([same, rule]));
    else merged.push({ ...rule });
  }
  return merged;
}

/** Groups lines that cross or meet, directly or through others. */
function groupTouching(rules: readonly Box[]): Box[][] {
  const waiting = new Set(rules);
  const groups: Box[][] = [];
  for (const first of rules) {
    if (!waiting.delete(first)) continue;
    const group = [first];
    for (const member of group) {
      for (const other of waiting) {
        if (!touch(member, other)) continue;
        waiting.delete(other);
        group.push(other);
      }
    }
    groups.push(group);
  }
  return groups;
}

function touch(one: Box, other: Box): boolean {
  return (
    one.x0 - TOUCH <= other.x1 &&
    other.x0 - TOUCH <= one.x1 &&
    one.y0 - TOUCH <= other.y1 &&
    other.y0 - TOUCH <= one.y1
  );
}

const transpose = ({ x0, y0, x1, y1 }: Box): Box => ({ x0: y0, y0: x0, x1: y1, y1: x1 });
