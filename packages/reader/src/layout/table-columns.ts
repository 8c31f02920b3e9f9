/** The columns of a table, from the white between the pieces of its lines. */
import { boxAround, overlapX, widthOf, type Box } from './geometry.ts';
import type { Line, Run, Segment } from './page-parts.ts';
import { makeSegment, toRows } from './segments.ts';

/** A wider gap, in heights of the font, separates cells: words of a cell are nearer to each other. */
const CELL_GAP = 0.6;
/** A column that has only these, such as the currencies before sums, belongs to its neighbour. */
const SIGN = /^(?:US\$|[$€£¥%*†‡])$/u;

/** The lines of a table with the pieces of text that are parted by more than a space. */
export const tableLines = (runs: readonly Run[]): Line[] => toRows(runs).map((row) => partLine(row));

/** @param row runs of one line, from left to right */
export function partLine(row: readonly Run[], gap = CELL_GAP): Segment[] {
  const pieces: Run[][] = [];
  let right = -Infinity;
  for (const run of row) {
    const last = pieces.at(-1);
    if (last && run.x0 - right <= gap * run.size) last.push(run);
    else pieces.push([run]);
    right = Math.max(right, run.x1);
  }
  return pieces.map(makeSegment);
}

/** From left to right. Lines with the most pieces say most about columns; a line that crosses two spans them. */
export function columnsOf(lines: readonly Line[]): Box[] {
  const columns: Box[] = [];
  const inked = (line: Line): number => line.reduce((sum, piece) => sum + widthOf(piece), 0);
  for (const line of lines.toSorted((a, b) => b.length - a.length || inked(a) - inked(b))) {
    const hits = line.map((piece) => columns.filter((column) => overlapX(column, piece) > 0));
    if (hits.some(({ length }) => length > 1)) continue;
    for (const [index, piece] of line.entries()) {
      const [column] = hits[index] ?? [];
      if (column) Object.assign(column, boxAround([column, piece]));
      // A line of one piece is a title, or goes on in a column that others have.
      else if (line.length > 1) columns.push({ ...piece });
    }
  }
  return joinColumns(
    columns.toSorted((a, b) => a.x0 - b.x0),
    lines,
  );
}

/** Joins neighbours that more lines cross than part, and columns of signs with the values beside them. */
function joinColumns(columns: readonly Box[], lines: readonly Line[]): Box[] {
  const joined: Box[] = [];
  let before: Segment[] = [];
  for (const column of columns) {
    const last = joined.at(-1);
    const here = lines.flatMap((line) => line.filter((piece) => overlapX(column, piece) > 0));
    if (last && belongTogether(last, column, lines, before, here)) {
      joined[joined.length - 1] = boxAround([last, column]);
      before = [...before, ...here];
    } else {
      joined.push(column);
      before = here;
    }
  }
  return joined;
}

function belongTogether(
  left: Box,
  right: Box,
  lines: readonly Line[],
  inLeft: readonly Segment[],
  inRight: readonly Segment[],
): boolean {
  const isSign = ({ text }: Segment): boolean => SIGN.test(text);
  const isPercent = ({ text }: Segment): boolean => text === '%';
  if (inLeft.every((piece) => isSign(piece) && !isPercent(piece)) || inRight.every(isPercent)) return true;
  let [crossed, parted] = [0, 0];
  for (const line of lines) {
    const [inOne, inOther] = [left, right].map((column) =>
      line.filter((piece) => overlapX(column, piece) > 0),
    );
    if (inOne?.some((piece) => inOther?.includes(piece))) crossed += 1;
    else if (inOne?.length && inOther?.length) parted += 1;
  }
  return crossed > 0 && crossed >= parted;
}

/** A piece of a line with the first and the last of the columns that it stands in. */
export interface Placed {
  piece: Segment;
  from: number;
  to: number;
}

/**
 * The columns of each piece of a line. A title above several columns stands in the middle of them, or over a line
 * as wide as they are.
 *
 * @param marks lines drawn just below this line under some columns
 * @param below the next line of the head or the first of the body, where titles can stand above its cells
 * @param above what stands in the lines above: no title is below a single cell
 */
export function placeLine(
  line: Line,
  columns: readonly Box[],
  marks: readonly Box[],
  below: Line | undefined,
  above: readonly Placed[] = [],
): Placed[] {
  const hit = line.map((piece) => columnsUnder(columns, piece));
  return line.map((piece, index): Placed => {
    const own = hit[index] ?? { from: 0, to: 0 };
    const mark = marks.find(
      (one) => line.filter((other) => overlapX(one, other) > 0).length === 1 && overlapX(one, piece) > 0,
    );
    if (mark) return { piece, ...columnsUnder(columns.map(inner), mark) };
    const title = line.length === 1 ? wholeOrFirst(piece, columns, own) : undefined;
    if (title) return { piece, ...title };
    if (!below) return { piece, ...own };
    const free = {
      from: Math.max((hit[index - 1]?.to ?? 0) + 1, 1),
      to: (hit[index + 1]?.from ?? columns.length) - 1,
    };
    const filled = columns.map(
      (column, at) =>
        below.some((part) => overlapX(column, part) > 0) &&
        !above.some(({ from, to }) => from === to && from === at),
    );
    return { piece, ...centred(piece, columns, own, free, filled) };
  });
}

/** The middle half of a column. */
const inner = (column: Box): Box => ({
  ...column,
  x0: column.x0 + widthOf(column) / 4,
  x1: column.x1 - widthOf(column) / 4,
});

interface Range {
  from: number;
  to: number;
}

function columnsUnder(columns: readonly Box[], piece: Box): Range {
  const hits = columns.flatMap((column, at) => (overlapX(column, piece) > 0 ? [at] : []));
  if (hits.length > 0) return { from: hits[0] ?? 0, to: hits.at(-1) ?? 0 };
  const after = columns.findIndex(({ x0 }) => x0 > piece.x0);
  const near = after < 0 ? columns.length - 1 : after;
  return { from: near, to: near };
}

/**
 * A line of its own in the middle is of all columns, but not one that begins where its column does and goes on there; a
 * long one at the left is a title of the rows below.
 */
function wholeOrFirst(piece: Segment, columns: readonly Box[], own: Range): Range | undefined {
  const whole = boxAround(columns);
  const off = Math.abs(piece.x0 + piece.x1 - whole.x0 - whole.x1) / 2;
  const isLong = own.to > own.from;
  const isFlush = Math.abs(piece.x0 - (columns[own.from]?.x0 ?? 0)) < piece.size / 2;
  if (off < piece.size && (isLong || (own.from > 0 && columns.length > 2 && !isFlush)))
    return { from: 0, to: columns.length - 1 };
  return isLong && own.from === 0 ? { from: 0, to: 0 } : undefined;
}

/** The most columns around its own, within free ones with cells below, whose middle is that of a piece. */
function centred(
  piece: Segment,
  columns: readonly Box[],
  own: Range,
  free: Range,
  filled: readonly boolean[],
): Range {
  const isCentred = ({ from, to }: Range): boolean => {
    const [first, last] = [columns[from], columns[to]];
    const off = first && last ? Math.abs(first.x0 + last.x1 - piece.x0 - piece.x1) / 2 : Infinity;
    return off < Math.max(piece.size * 0.6, first && last ? (last.x1 - first.x0) * 0.08 : 0);
  };
  let best = own;
  let least = own.from;
  while (least > free.from && filled[least - 1]) least -= 1;
  let most = own.to;
  while (most < free.to && filled[most + 1]) most += 1;
  for (let from = least; from <= own.from; from++)
    for (let to = own.to; to <= most; to++)
      if (to - from > best.to - best.from && isCentred({ from, to })) best = { from, to };
  return best;
}
