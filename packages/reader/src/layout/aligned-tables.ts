/** Tables without rules: neighbouring lines of a column whose pieces share gutters. */
import { boxAround, overlapX, widthOf, type Box } from './geometry.ts';
import type { Line, TableGrid } from './page-parts.ts';
import { columnsOf, partLine } from './table-columns.ts';
import { gridOf } from './table-rows.ts';
import {
  isContents,
  isDefinitions,
  isListing,
  isProse,
  isSectionTitle,
  looksLikeTable,
} from './table-shape.ts';

export type TableOrLine = { kind: 'table'; table: TableGrid } | { kind: 'line'; line: Line };

/** Columns are apart by this many heights of the font. */
const GUTTER = 0.35;
/** Within a line, a narrower gap may be a space of justified text. */
const APART = 0.85;
/** Lines further apart, in heights of the font, are not of one table. */
const FARTHEST = 2.2;
const FEWEST_ROWS = 3;
/** Steps between lines differ by less than this. */
const MORE = 1.05;
/** Maximum number of lines that only one cell of a row has. */
const MOST_CONTINUATIONS = 6;
/** Maximum number of lines with titles over several columns. */
const MOST_TITLES = 4;

export function alignedTables(lines: readonly Line[]): TableOrLine[] {
  const found: TableOrLine[] = [];
  // Where each word is a run, as on recognised pages, gaps between words cannot be told from gutters.
  const hasSpaces = lines.some((line) =>
    line.some(({ runs }) => runs.some(({ text }) => text.includes(' '))),
  );
  const split = hasSpaces
    ? lines.map((line) =>
        partLine(
          line.flatMap(({ runs }) => runs),
          APART,
        ),
      )
    : lines;
  let at = 0;
  while (at < lines.length) {
    const end = tableEnd(split, at);
    const table = end > at ? makeTable(split.slice(at, end)) : undefined;
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
  const second = lines[start + 1];
  if (!first || first.length < 2 || (second && isSectionTitle(first, sizeOf(second)))) return start;
  const size = sizeOf(first);
  let columns: Box[] = first.map((part) => ({ ...part }));
  let end = start + 1;
  let full = 1;
  let lastFull = end;
  for (; end < lines.length; end++) {
    const line = lines[end];
    const before = lines[end - 1];
    if (!line || !before || isFar(before, line) || isSectionTitle(line, size)) break;
    const merged = mergeColumns(columns, line);
    const joins = merged.length < columns.length || merged.length < 2 || crosses(columns, line);
    if (joins && line.length > columns.length && full <= MOST_TITLES) {
      // The lines above were titles over several of these columns.
      columns = line.map((part) => ({ ...part }));
    } else if (joins && !(line.length > 1 && full <= MOST_TITLES && end - start <= MOST_TITLES)) {
      if (!isTitle(line, lines[end + 1], columns)) break;
      continue;
    } else if (!joins && (line.length > 1 || merged.length === columns.length)) columns = merged;
    if (line.length >= 2) {
      full += 1;
      lastFull = end + 1;
    } else if (end + 1 - lastFull > MOST_CONTINUATIONS) break;
  }
  // Trailing lines of one piece that start at the table's left edge continue a cell only if others do so, with less room than rows have.
  const tight = wrapOf(lines.slice(start, lastFull), columns);
  let last = lastFull;
  for (; last < Math.min(end, lines.length); last++) {
    const line = lines[last];
    const [part] = line ?? [];
    if (!line || !part) break;
    const isWrapped = stepTo(lines[last - 1], line) <= tight && part.x1 <= (columns[0]?.x1 ?? 0) + part.size;
    if (part.x0 - (columns[0]?.x0 ?? 0) < part.size && !isWrapped) break;
  }
  return full >= FEWEST_ROWS ? last : start;
}

/** The step to a line of one piece in the first column, if rows of several have larger ones. */
function wrapOf(lines: readonly Line[], [first]: readonly Box[]): number {
  let [tight, least] = [0, Infinity];
  for (const [at, line] of lines.entries()) {
    const [part] = line;
    if (at === 0 || !part || !first) continue;
    const step = stepTo(lines[at - 1], line);
    if (line.length > 1) least = Math.min(least, step);
    else if (part.x0 - first.x0 < part.size) tight = Math.max(tight, step * MORE);
  }
  return least > tight ? tight : 0;
}

const stepTo = (before: Line | undefined, line: Line): number =>
  (line[0]?.baseline ?? 0) - (before?.[0]?.baseline ?? 0);

const sizeOf = (line: Line): number => Math.max(...line.map(({ size }) => size));

function isFar(before: Line, line: Line): boolean {
  const gap = Math.min(...line.map(({ y0 }) => y0)) - Math.max(...before.map(({ y1 }) => y1));
  return gap > FARTHEST * (line[0]?.size ?? 1);
}

const crosses = (columns: readonly Box[], line: Line): boolean =>
  line.some((part) => columns.filter((column) => overlapX(column, part) > 0).length > 1);

/** A short line of its own before another row with cells in the same columns. */
function isTitle(line: Line, next: Line | undefined, columns: readonly Box[]): boolean {
  const [part] = line;
  if (!part || line.length > 1 || !next || next.length < 2 || isFar(line, next)) return false;
  const whole = boxAround(columns);
  return widthOf(part) < widthOf(whole) * 0.6 && columns.length > 2 && !crosses(columns, next);
}

/** The columns after one more line: pieces widen the column they overlap, and join columns if they overlap both. */
function mergeColumns(columns: readonly Box[], line: Line): Box[] {
  let merged = columns.map((column) => ({ ...column }));
  for (const part of line) {
    const near = merged.filter((column) => overlapX(column, part) > -GUTTER * part.size);
    if (near.length === 0) merged.push({ ...part });
    else {
      const joined = boxAround([...near, part]);
      merged = [...merged.filter((column) => !near.includes(column)), joined];
    }
  }
  return merged.toSorted((a, b) => a.x0 - b.x0);
}

function makeTable(lines: readonly Line[]): TableGrid | undefined {
  const columns = columnsOf(lines);
  if (columns.length < 2 || isListing(lines) || isContents(lines) || isProse(lines, columns))
    return undefined;
  // Without rules, only titles cross columns, and there are none over both of two.
  const across = lines.filter((line) => crosses(columns, line));
  if (across.length > (columns.length > 2 ? lines.length * 0.3 : 0)) return undefined;
  const grid = gridOf([{ lines }], { columns, marks: [] });
  if (!looksLikeTable(grid.rows) || isDefinitions(grid.rows)) return undefined;
  return { box: boxAround(lines.flat()), ...grid };
}
