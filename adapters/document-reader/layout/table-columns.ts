/** The columns of a table, from the white between the pieces of its lines. */
import { boxAround, overlapX, widthOf, type Box } from './geometry.ts';
import type { Line, Run, Segment } from './page-parts.ts';
import { makeSegment, toRows } from './segments.ts';

/** A wider gap, in heights of the font, separates cells: words of a cell are nearer to each other. */
const CELL_GAP = 0.6;
/** A column that has only these, such as the currencies before sums, belongs to its neighbour. */
const SIGN = /^(?:US\$|[$€£¥%*†‡])$/u;

/** The lines of a table with the pieces of text that are parted by more than a space. */
export function tableLines(runs: readonly Run[]): Line[] {
  return toRows(runs).map((row) => {
    const pieces: Run[][] = [];
    let right = -Infinity;
    for (const run of row) {
      const last = pieces.at(-1);
      if (last && run.x0 - right <= CELL_GAP * run.size) last.push(run);
      else pieces.push([run]);
      right = Math.max(right, run.x1);
    }
    return pieces.map(makeSegment);
  });
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
      else columns.push({ ...piece });
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
  return crossed > parted;
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
 * @param isHead whether more titles can follow below this line
 */
export function placeLine(
  line: Line,
  columns: readonly Box[],
  marks: readonly Box[],
  isHead: boolean,
): Placed[] {
  const hit = line.map((piece) => range(columns, piece));
  return line.map((piece, index): Placed => {
    const marked = marks.filter((mark) => overlapX(mark, piece) > widthOf(piece) * 0.5);
    const [mark] = marked;
    const under = mark && columns.flatMap((column, at) => (overlapX(column, mark) > widthOf(column) * 0.5 ? [at] : []));
    if (under?.length) return { piece, from: under[0] ?? 0, to: under.at(-1) ?? 0 };
    const own = hit[index] ?? { from: 0, to: 0 };
    if (line.length === 1 && own.to > own.from) return { piece, ...wholeOrFirst(piece, columns, own) };
    if (!isHead) return { piece, ...own };
    const least = Math.max((hit[index - 1]?.to ?? 0) + 1, 1);
    const most = (hit[index + 1]?.from ?? columns.length) - 1;
    return { piece, ...centred(piece, columns, own, { from: least, to: most }) };
  });
}

interface Range {
  from: number;
  to: number;
}

function range(columns: readonly Box[], piece: Box): Range {
  const hits = columns.flatMap((column, at) => (overlapX(column, piece) > 0 ? [at] : []));
  if (hits.length > 0) return { from: hits[0] ?? 0, to: hits.at(-1) ?? 0 };
  const after = columns.findIndex(({ x0 }) => x0 > piece.x0);
  const near = after < 0 ? columns.length - 1 : after;
  return { from: near, to: near };
}

/** A line of its own in the middle is of all columns; one at the left is a title of the rows below. */
function wholeOrFirst(piece: Segment, columns: readonly Box[], own: Range): Range {
  const whole = boxAround(columns);
  const off = Math.abs(piece.x0 + piece.x1 - whole.x0 - whole.x1) / 2;
  if (off < piece.size * 1.5) return { from: 0, to: columns.length - 1 };
  return own.from === 0 ? { from: 0, to: 0 } : own;
}

/** The columns around its own, within free ones, whose middle is that of a piece. */
function centred(piece: Segment, columns: readonly Box[], own: Range, free: Range): Range {
  const offOf = ({ from, to }: Range): number => {
    const [first, last] = [columns[from], columns[to]];
    return first && last ? Math.abs(first.x0 + last.x1 - piece.x0 - piece.x1) / 2 : Infinity;
  };
  let best = own;
  for (let from = Math.min(own.from, free.from); from <= own.from; from++)
    for (let to = own.to; to <= Math.max(own.to, free.to); to++)
      if (from >= free.from && offOf({ from, to }) < offOf(best) - piece.size * 0.3) best = { from, to };
  return offOf(best) < piece.size * 1.5 ? best : own;
}
