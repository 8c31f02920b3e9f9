import { boxAround, median, overlapX, type Box } from './geometry.ts';
import { joinLines } from './plain-text.ts';
import type { Line, Segment } from './page-parts.ts';
import type { TableGrid } from './ruled-tables.ts';

export type TableOrLine = { kind: 'table'; table: TableGrid } | { kind: 'line'; line: Line };

/** Columns are apart by this many heights of the font. */
const GUTTER = 0.7;
const FEWEST_ROWS = 3;
/** Maximum number of lines that only one cell of a row has. */
const MOST_CONTINUATIONS = 6;

/** Finds tables without rules in a column: neighbouring lines whose pieces share gutters. */
export function alignedTables(lines: readonly Line[]): TableOrLine[] {
  const found: TableOrLine[] = [];
  let at = 0;
  while (at < lines.length) {
    const end = tableEnd(lines, at);
    const table = end > at ? makeTable(lines.slice(at, end)) : undefined;
    if (table) {
      found.push({ kind: 'table', table });
      at = end;
    } else {
      const line = lines[at];
      if (line) found.push({ kind: 'line', line });
      at += 1;
    }
  }
  return found;
}

/** Index after the last possible line of a table that starts here; the start itself if there is none. */
function tableEnd(lines: readonly Line[], start: number): number {
  const first = lines[start];
  if (!first || first.length < 2) return start;
  let columns: Box[] = first.map((part) => ({ ...part }));
  let end = start + 1;
  let full = 1;
  let lastFull = end;
  for (; end < lines.length; end++) {
    const line = lines[end];
    const before = lines[end - 1];
    if (!line || !before) break;
    const size = line[0]?.size ?? 1;
    const gap = Math.min(...line.map(({ y0 }) => y0)) - Math.max(...before.map(({ y1 }) => y1));
    if (gap > 2.2 * size) break;
    const merged = mergeColumns(columns, line, size);
    // A line of one piece that would join columns is text after the table, or a heading in it.
    if (merged.length < 2 || (merged.length < columns.length && !acceptsMerge(columns, merged, line, full)))
      break;
    if (line.length === 1 && isProse(line, columns)) break;
    columns = merged;
    if (line.length >= 2) {
      full += 1;
      lastFull = end + 1;
    } else if (end + 1 - lastFull > MOST_CONTINUATIONS) break;
  }
  // Trailing lines of one piece continue a cell only if they do not start at the table's left edge.
  let last = lastFull;
  for (; last < Math.min(end, lines.length); last++) {
    const line = lines[last];
    const start = line?.[0]?.x0 ?? 0;
    if (!line || start - (columns[0]?.x0 ?? 0) < (line[0]?.size ?? 1)) break;
  }
  const enough = full >= FEWEST_ROWS || (full === 2 && columns.length >= 3);
  return enough ? last : start;
}

/** The first line may have fewer, wider pieces than the rows below it; later ones may not. */
function acceptsMerge(columns: readonly Box[], merged: readonly Box[], line: Line, full: number): boolean {
  return full <= 1 && line.length >= 2 && merged.length >= 2 && columns.length - merged.length <= 1;
}

function isProse(line: Line, columns: readonly Box[]): boolean {
  const [part] = line;
  if (!part) return false;
  return columns.filter((column) => overlapX(column, part) > 0).length > 1;
}

/** The columns after one more line: pieces widen the column they overlap, and join columns if they overlap both. */
function mergeColumns(columns: readonly Box[], line: Line, size: number): Box[] {
  let merged = columns.map((column) => ({ ...column }));
  for (const part of line) {
    const near = merged.filter((column) => overlapX(column, part) > -GUTTER * size * 0.5);
    if (near.length === 0) merged.push({ ...part });
    else {
      const joined = boxAround([...near, part]);
      merged = [...merged.filter((column) => !near.includes(column)), joined];
    }
  }
  return merged.toSorted((a, b) => a.x0 - b.x0);
}

function makeTable(lines: readonly Line[]): TableGrid | undefined {
  const size = median(lines.flat().map((part) => part.size));
  const columns = columnsOf(lines, size);
  if (columns.length < 2) return undefined;
  const rows = joinContinuations(lines, columns);
  const cells = rows.map((row) => row.map((parts) => joinLines(parts.map(({ text }) => text))));
  if (!looksLikeTable(cells)) return undefined;
  return { box: boxAround(lines.flat()), rows: cells };
}

function columnsOf(lines: readonly Line[], size: number): Box[] {
  return lines.reduce<Box[]>((columns, line) => mergeColumns(columns, line, size), []);
}

/** Cells of several lines: a line that has no first cell, or is nearer to the line above than rows are. */
function joinContinuations(lines: readonly Line[], columns: readonly Box[]): Segment[][][] {
  const steps = lines.slice(1).map((line, index) => baselineOf(line) - baselineOf(lines[index] ?? line));
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  const middle = (least + most) / 2;
  const nearLines = lines.slice(1).filter((_, index) => (steps[index] ?? 0) < middle);
  const whole = nearLines.filter((line) =>
    columns.every((column) => line.some((part) => overlapX(column, part) > 0)),
  );
  // Closely spaced lines with all cells are rows of a table with wider gaps between its parts.
  const spaced = most > least * 1.25 && whole.length <= nearLines.length * 0.3;
  const rows: Segment[][][] = [];
  for (const [index, line] of lines.entries()) {
    const cells = columns.map((column) => line.filter((part) => overlapX(column, part) > 0));
    const step = steps[index - 1] ?? Infinity;
    const last = rows.at(-1);
    const near = spaced && step < middle;
    // With even spacing, only a line without a first cell and without numbers can continue the one above.
    const continues =
      near ||
      (!spaced && cells[0]?.length === 0 && line.length === 1 && /^\p{Ll}/u.test(line[0]?.text ?? ''));
    if (last && continues) for (const [column, parts] of cells.entries()) last[column]?.push(...parts);
    else rows.push(cells);
  }
  return rows;
}

const baselineOf = (line: Line): number => median(line.map(({ baseline }) => baseline));

/** Excludes lists of labels, lines of a justified paragraph, and text with accidental gaps. */
function looksLikeTable(rows: readonly (readonly string[])[]): boolean {
  const filled = rows.map((row) => row.filter((text) => text !== '').length);
  const several = filled.filter((count) => count >= 2).length;
  if (rows.length < 2 || several < Math.max(2, rows.length * 0.5)) return false;
  const columns = rows[0]?.length ?? 0;
  const labels = rows.filter(([cell = '']) => cell.endsWith(':')).length;
  if (columns === 2 && labels >= rows.length * 0.6) return false;
  const markers = rows.filter((row) => /^([•◦▪‣·–*-]|\(?[\p{L}\d]{1,3}[.)])$/u.test(row[0] ?? '')).length;
  if (columns === 2 && markers >= rows.length * 0.5) return false;
  const share = filled.reduce((sum, count) => sum + count, 0) / (rows.length * columns);
  return share >= 0.45;
}
