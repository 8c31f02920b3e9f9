import type { MergedCells } from '../document/element.ts';
import { boxAround, contains, heightOf, overlapX, widthOf, type Box } from './geometry.ts';
import type { Run, TableGrid } from './page-parts.ts';
import { makeSegment, toRows } from './segments.ts';
import { joinLines } from './plain-text.ts';
import { tableLines } from './table-columns.ts';
import { isFullOfNumbers } from './table-rows.ts';

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
/** With a larger share of missing lines, they say nothing about cells. */
const MOST_MERGED = 0.3;
/** Cells of larger tables are not merged: the work grows with their square. */
const MOST_CELLS = 1_000;

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
    return readGrid({ box, ys: rows, xs: columns, rules: group }, runs);
  });
}

interface Grid {
  box: Box;
  ys: readonly number[];
  xs: readonly number[];
  rules: readonly Box[];
}

function readGrid(grid: Grid, runs: readonly Run[]): RuledTable[] {
  const { box, ys, xs } = grid;
  const areas = mergedCells(grid);
  const cells = new Map([...new Set(areas.flat())].map((area): [number, Run[]] => [area, []]));
  const used = new Set<Run>();
  for (const run of runs) {
    const [x, y] = [(run.x0 + run.x1) / 2, run.baseline - run.size * 0.3];
    if (!contains(box, x, y)) continue;
    // A run that reaches into the next cell belongs to the one that it begins in.
    const at = run.x0 + Math.min(run.size, widthOf(run)) / 2;
    const column = xs.findLastIndex((edge) => edge <= at);
    const row = ys.findLastIndex((edge) => edge <= y);
    const area =
      areas[Math.min(Math.max(row, 0), areas.length - 1)]?.[Math.min(Math.max(column, 0), xs.length - 2)];
    cells.get(area ?? 0)?.push(run);
    used.add(run);
  }
  // Lines of numbers in one cell are rows that no rule parts.
  const lined = areas.some((row) => {
    const lines = tableLines([...new Set(row)].flatMap((area) => cells.get(area) ?? []));
    return lines.filter(isFullOfNumbers).length >= 3;
  });
  if (lined) return [];
  const texts = new Map([...cells].map(([area, some]): [number, string] => [area, cellText(some)]));
  const kept = areas.flatMap((row, y) =>
    row.some((area) => texts.get(area) !== '') ? [{ row, y0: ys[y] ?? 0, y1: ys[y + 1] ?? 0 }] : [],
  );
  const filled = [...texts.values()].filter((text) => text !== '').length;
  // A frame, a form's empty boxes or a chart's grid is no table.
  const inhabited = areas.filter((row) => new Set(row.filter((area) => texts.get(area) !== '')).size >= 2);
  if (filled < 4 || inhabited.length < 2) return [];
  const places = kept.flatMap(({ row: own, y0, y1 }, row) =>
    own.map((area, column) => ({ area, row, column, x0: xs[column] ?? 0, x1: xs[column + 1] ?? 0, y0, y1 })),
  );
  const groups = Map.groupBy(places, ({ area }) => area);
  const boxes = new Map([...groups].map(([area, some]) => [area, boxAround(some)]));
  const table = {
    box,
    rows: kept.map(({ row }) => row.map((area) => texts.get(area) ?? '')),
    merged: [...groups.values()].flatMap(mergedOf),
    cellBoxes: kept.map(({ row }) => row.map((area) => boxes.get(area) ?? box)),
  };
  return [{ table, used }];
}

/** The rectangle of cells that share an area; none for a single cell, and for another shape. */
function mergedOf(cells: readonly { row: number; column: number }[]): MergedCells[] {
  const [first, last] = [cells[0], cells.at(-1)];
  if (!first || !last || cells.length === 1) return [];
  const [rows, columns] = [last.row - first.row + 1, last.column - first.column + 1];
  return rows * columns === cells.length ? [{ row: first.row, column: first.column, rows, columns }] : [];
}

/** A number for the area of each cell: cells with no line between them share one, in tables where most have. */
function mergedCells({ ys, xs, rules }: Grid): number[][] {
  const [height, width] = [ys.length - 1, xs.length - 1];
  const areas = Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (__, x) => y * width + x),
  );
  if (height * width > MOST_CELLS) return areas;
  const across = rules.filter((rule) => widthOf(rule) > heightOf(rule));
  const down = rules.filter((rule) => widthOf(rule) <= heightOf(rule));
  const open: [one: number, other: number][] = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [left, right] = [xs[x] ?? 0, xs[x + 1] ?? 0];
      const [top, bottom] = [ys[y] ?? 0, ys[y + 1] ?? 0];
      const isRight = (rule: Box): boolean =>
        Math.abs((rule.x0 + rule.x1) / 2 - right) <= SMALLEST_CELL && covers(rule.y0, rule.y1, top, bottom);
      const isBelow = (rule: Box): boolean =>
        Math.abs((rule.y0 + rule.y1) / 2 - bottom) <= SMALLEST_CELL && covers(rule.x0, rule.x1, left, right);
      const area = y * width + x;
      if (x + 1 < width && !down.some(isRight)) open.push([area, area + 1]);
      if (y + 1 < height && !across.some(isBelow)) open.push([area, area + width]);
    }
  // Shaded rows have edges that the rows between them lack.
  if (open.length > height * width * MOST_MERGED) return areas;
  for (const [one, other] of open) joinAreas(areas, one, other, width);
  return areas;
}

const covers = (from: number, to: number, start: number, end: number): boolean =>
  Math.min(to, end) - Math.max(from, start) > (end - start) / 2;

/** Gives the cells of both areas one number. */
function joinAreas(areas: number[][], one: number, other: number, width: number): void {
  const areaOf = (cell: number): number => areas[Math.floor(cell / width)]?.[cell % width] ?? cell;
  const [keep, drop] = [Math.min(areaOf(one), areaOf(other)), Math.max(areaOf(one), areaOf(other))];
  for (const row of areas) for (const [x, area] of row.entries()) if (area === drop) row[x] = keep;
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
