/** What the lines on both sides of a gutter say: columns of text, or cells of a table. */
import { boxAround, median, widthOf } from './geometry.ts';
import type { Segment } from './page-parts.ts';
import { GUTTER, isRecognised, joinNear, toRows, WIDE_GAP } from './segments.ts';

/** Minimum number of lines of a column. */
export const FEWEST_LINES = 3;
/** Minimum number of lines of columns that are told by their heights, and of equal offsets in heights of the font. */
const FEWEST_APART = 6;
const SAME_OFFSET = 0.08;
/** A larger share of lines at the heights of the other side's are rows. */
const MOST_LEVEL = 0.7;
/** Maximum distance, in heights of the font, of the lines of one row of a table. */
const SAME_ROW = 0.25;
/** Minimum share of a column's lines that begin, or end, below each other, and of few lines. */
const LEAST_EDGE = 0.4;
const LEAST_OF_FEW = 0.75;
/** Their difference in heights of the font. */
const SAME_EDGE = 0.3;

/** Whether most lines are code, which has wide gaps. */
export const isListing = (lines: readonly Segment[]): boolean =>
  lines.filter(({ monospaced }) => monospaced).length * 2 > lines.length;

/** Whether one of the edges at a gutter is that of a column: spaces of justified lines are below each other by chance. */
export const haveEdge = (one: readonly Segment[], other: readonly Segment[]): boolean =>
  isEdge(
    toRows(one).flatMap((row) => row.at(-1) ?? []),
    ({ x1 }) => x1,
  ) ||
  isEdge(
    toRows(other).flatMap((row) => row[0] ?? []),
    ({ x0 }) => x0,
  );

function isEdge(lines: readonly Segment[], edgeOf: (line: Segment) => number): boolean {
  const sorted = lines.map(edgeOf).toSorted((a, b) => a - b);
  const within = SAME_EDGE * median(lines.map(({ size }) => size));
  let most = 0;
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while ((sorted[last] ?? 0) - (sorted[first] ?? 0) > within) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most >= Math.max(lines.length * LEAST_EDGE, Math.min(lines.length * LEAST_OF_FEW, FEWEST_APART));
}

export const rowsOf = (lines: readonly Segment[]): number => toRows(lines).length;

/** Lines of a column are long, and mostly as long as others; cells of a table are short, or several to a line. */
export function looksLikeText(parts: readonly Segment[]): boolean {
  const rows = toRows(parts);
  if (rows.length < FEWEST_LINES || !isSet(rows)) return false;
  // Lines may have wide gaps as well, and there may be other columns with narrow gutters.
  return [WIDE_GAP, GUTTER].some((widest) => {
    const lines = rows
      .flatMap((row) => joinNear(row, widest))
      .map((pieces) => ({
        text: pieces.map(({ text }) => text).join(' '),
        width: widthOf(boxAround(pieces)),
      }));
    const widths = lines.map(({ width }) => width).toSorted((a, b) => a - b);
    const usual = widths[Math.floor(widths.length * 0.9)] ?? 0;
    const full = lines.filter(({ width }) => width >= 0.72 * usual);
    const wordy = lines.filter(({ text }) => hasWords(text)).length >= lines.length * 0.5;
    const long = median(lines.map(({ text }) => text.length)) >= 14;
    return long && wordy && full.length >= Math.max(2, lines.length * 0.4);
  });
}

/**
 * Whether lines on both sides of a gutter are at heights of their own, unlike the cells of a table's rows: columns with
 * formulas, tables or lists of short lines.
 */
export function areSetApart(one: readonly Segment[], other: readonly Segment[]): boolean {
  if ([...one, ...other].some(({ runs }) => runs.some(isRecognised))) return false;
  const [few, many] = [one, other].map(linesWithWords).toSorted((a, b) => a.length - b.length);
  if (!few || !many || rowsOf(few) < FEWEST_APART || rowsOf(many) < FEWEST_APART) return false;
  let at = 0;
  const distanceTo = (line: Segment, index: number): number =>
    Math.abs((many[index]?.baseline ?? Infinity) - line.baseline);
  const offsets = few.map((line) => {
    while (distanceTo(line, at + 1) <= distanceTo(line, at)) at += 1;
    return ((many[at]?.baseline ?? 0) - line.baseline) / line.size;
  });
  const usual = median(offsets);
  if (Math.abs(usual) > SAME_ROW) return true;
  const level = offsets.filter((offset) => Math.abs(offset - usual) < SAME_OFFSET);
  return level.length < offsets.length * MOST_LEVEL;
}

/** From top to bottom; none if most text is without words. */
function linesWithWords(lines: readonly Segment[]): Segment[] {
  const letters = (some: readonly Segment[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  const wordy = lines.filter(({ text }) => hasWords(text));
  return letters(wordy) * 2 > letters(lines) ? wordy.toSorted((a, b) => a.baseline - b.baseline) : [];
}

/** More than one, of which the first has two letters. */
function hasWords(text: string): boolean {
  const first = text.search(/\p{L}{2}/u);
  if (first < 0) return false;
  const [, ...others] = text.slice(first).split(/\s/);
  return others.some((word) => /\p{L}/u.test(word));
}

/** Whether most lines follow each other closely; rows of a table are spaced by their highest cells. */
function isSet(rows: readonly Segment[][]): boolean {
  const lines = rows.flatMap(([first]) => first ?? []);
  const close = lines
    .slice(1)
    .filter((line, index) => line.baseline - (lines[index]?.baseline ?? 0) < 1.8 * line.size);
  return close.length >= (lines.length - 1) * 0.5;
}
