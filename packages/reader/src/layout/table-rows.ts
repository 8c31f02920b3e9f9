/** The rows of a table from its lines: cells of several lines are joined, and titles above columns. */
import type { MergedCells } from '../document/element.ts';
import { type Box, boxAround, greatest, least, median, widthOf } from './geometry.ts';
import type { Line, Segment, TableGrid } from './page-parts.ts';
import { joinLines } from './plain-text.ts';
import { placeLine, type Placed } from './table-columns.ts';

/** Lines between two rules that cross the whole table. */
export interface Band {
  lines: readonly Line[];
}

interface TableShape {
  columns: readonly Box[];
  /** Lines drawn below some columns only. */
  marks: readonly Box[];
}

/** Text with a digit and without a word. */
const isNumber = (text: string): boolean => /\p{N}/u.test(text) && !/\p{L}{3}/u.test(text);
/** Baselines of one cell are nearer than this, in heights of the font. */
const CLOSE = 1.7;
const MOST_HEAD_LINES = 8;

/** The rows with text and their cells. @param bands where there are several, the first is the head */
export function gridOf(
  bands: readonly Band[],
  { columns, marks }: TableShape,
): Required<Omit<TableGrid, 'box'>> {
  const lines = bands.reduce((sum, band) => sum + band.lines.length, 0);
  const filled = bands.filter((band) => band.lines.length > 0);
  // Rules between all rows say what a row is.
  const eachIsRow =
    filled.length >= 4 &&
    filled.length >= lines * 0.3 &&
    !filled.slice(1).some((band) => band.lines.filter(isFullOfNumbers).length > 1);
  const rows = filled.flatMap((band, index): Placed[][][] => {
    const head = filled.length > 1 ? (index === 0 ? band.lines.length : 0) : headLines(band.lines);
    const mayHead = eachIsRow && index < 3 ? band.lines.length : head;
    const placed: Placed[][] = [];
    for (const [at, line] of band.lines.entries()) {
      const next = band.lines[at + 1] ?? filled[index + 1]?.lines[0];
      const below = at < mayHead ? next : undefined;
      placed.push(placeLine(line, columns, marksBelow(line, next, marks), below, placed.flat()));
    }
    if (eachIsRow && !placed.slice(0, head).some(spans)) return [placed];
    return [...joinHead(placed.slice(0, head)), ...joinWrapped(placed.slice(head), columns)];
  });
  const grid = rows
    .map((row) => row.flat())
    .map((placed) => ({
      placed,
      texts: columns.map((_, at) => joinLines(piecesAt(placed, at).map(({ piece }) => piece.text))),
    }))
    .filter(({ texts }) => texts.some((text) => text !== ''));
  return {
    rows: grid.map(({ texts }) => texts),
    merged: grid.flatMap(({ placed }, row) => mergedIn(placed, row)),
    cellBoxes: grid.map(({ placed }) => {
      const { y0, y1 } = boxAround(placed.map(({ piece }) => piece));
      return columns.map(({ x0, x1 }, at) => {
        const own = piecesAt(placed, at).map(({ piece }) => piece);
        return own.length > 0 ? boxAround(own) : { x0, x1, y0, y1 };
      });
    }),
  };
}

const piecesAt = (row: readonly Placed[], column: number): Placed[] =>
  row.filter(({ from, to }) => from <= column && column <= to);

/** Cells of a row over several columns, if no other text is in these. */
function mergedIn(row: readonly Placed[], at: number): MergedCells[] {
  const areas = row.filter(({ from, to }) => to > from);
  return [...new Map(areas.map((area) => [`${area.from} ${area.to}`, area])).values()]
    .filter(({ from, to }) =>
      row.every((other) => other.to < from || other.from > to || (other.from === from && other.to === to)),
    )
    .map(({ from, to }) => ({ row: at, column: from, rows: 1, columns: to - from + 1 }));
}

const spans = (line: readonly Placed[]): boolean => line.some(({ from, to }) => to > from);
const baselineOf = (line: readonly Placed[]): number => median(line.map(({ piece }) => piece.baseline));

/** Lines above the first with numbers, of a table that consists of numbers. */
function headLines(lines: readonly Line[]): number {
  const numbers = lines.map((line) => {
    const values = line.slice(1).filter(({ text }) => isNumber(text));
    return line.length > 1 && values.length * 2 > line.length - 1;
  });
  const first = numbers.indexOf(true);
  const body = numbers.slice(first);
  if (first < 1 || first > MOST_HEAD_LINES || body.filter(Boolean).length < body.length * 0.6) return 0;
  return first;
}

function marksBelow(line: Line, next: Line | undefined, marks: readonly Box[]): Box[] {
  const top = Math.max(...line.map(({ baseline }) => baseline));
  const size = line[0]?.size ?? 1;
  const end = Math.min(top + size * 1.5, ...(next ?? []).map(({ baseline }) => baseline));
  return marks.filter(({ y0 }) => y0 > top - size * 0.2 && y0 < end);
}

/** A line with a title over several columns is a row; the others between such are the lines of one. */
function joinHead(lines: readonly Placed[][]): Placed[][][] {
  const rows: Placed[][][] = [];
  for (const line of lines) {
    const last = rows.at(-1);
    const before = last?.at(-1);
    const size = line[0]?.piece.size ?? 1;
    const near = before && baselineOf(line) - baselineOf(before) < CLOSE * size;
    if (last && before && near && !spans(before) && !spans(line)) last.push(line);
    else rows.push([line]);
  }
  return rows;
}

/** Cells of several lines: nearer to the line above than rows are, or going on where a word did not fit. */
function joinWrapped(lines: readonly Placed[][], columns: readonly Box[]): Placed[][][] {
  const steps = lines.slice(1).map((line, index) => baselineOf(line) - baselineOf(lines[index] ?? line));
  const [nearest, furthest] = [least(steps), greatest(steps)];
  const middle = (nearest + furthest) / 2;
  const near = lines.flatMap((_, at) => (at > 0 && (steps[at - 1] ?? 0) < middle ? [at] : []));
  const whole = near.filter(
    (at) =>
      (lines[at]?.length ?? 0) >= columns.length && !hadNoRoom(lines[at - 1] ?? [], lines[at] ?? [], columns),
  );
  // Closely spaced lines with all cells are rows of a table with wider gaps between its parts.
  const spaced = furthest > nearest * 1.25 && whole.length <= near.length * 0.3;
  const rows: Placed[][][] = [];
  for (const [index, line] of lines.entries()) {
    const last = rows.at(-1);
    const continues = spaced
      ? (steps[index - 1] ?? Infinity) < middle
      : last && goesOn(last.flat(), line, columns);
    if (last && continues && !hasOtherNumber(last.flat(), line)) last.push(line);
    else rows.push([line]);
  }
  return rows;
}

/** Whether a line has a number where the row above has one: a cell has one number. */
const hasOtherNumber = (row: readonly Placed[], line: readonly Placed[]): boolean =>
  line.some(
    ({ piece, from }) =>
      isNumber(piece.text) && row.some((other) => other.from === from && isNumber(other.piece.text)),
  );

/** Whether all cells but the first are numbers. */
export const isFullOfNumbers = (line: Line): boolean =>
  line.length > 2 && line.slice(1).every(({ text }) => isNumber(text));

/** Whether a line has fewer cells than the row above, none of them the first, and each begins with what had no room. */
const goesOn = (row: readonly Placed[], line: readonly Placed[], columns: readonly Box[]): boolean =>
  line.length < new Set(row.map(({ from }) => from)).size &&
  line.every(({ piece, from }) => from > 0 && /^\p{Ll}|^[(&]/u.test(piece.text)) &&
  hadNoRoom(row, line, columns);

/** Whether each cell begins with a word that did not fit beside the text above it. */
function hadNoRoom(above: readonly Placed[], line: readonly Placed[], columns: readonly Box[]): boolean {
  const before = new Map(above.map(({ piece, from }): [number, Segment] => [from, piece]));
  return line.every(({ piece, from, to }) => {
    const upper = before.get(from);
    if (!upper || from !== to || isNumber(piece.text)) return false;
    const word = /^\S+/u.exec(piece.text)?.[0].length ?? 1;
    const needed = (widthOf(piece) / Math.max(1, piece.text.length)) * (word + 1);
    return upper.x1 + needed > (columns[from]?.x1 ?? 0);
  });
}
