/** What has columns and is no table. */
import { overlapX, widthOf, median, type Box } from './geometry.ts';
import type { Line } from './page-parts.ts';

const MARKER = /^([•◦▪‣·–*-]|\(?[\p{L}\d]{1,3}[.)])$/u;
/** Dot leaders, as written or as shortened by the clean text. */
const LEADER = /(?:\. ?){4,}|…/u;
const PAGE = /^(?:\d{1,4}|[ivxlc]{1,8})$/u;
/** More words in a line are text, not a cell. */
const MOST_WORDS = 8;

const wordsOf = (text: string): number => text.split(/\s+/).length;

/** Excludes lists of labels, contents, indexes, lines of a justified paragraph, and text with accidental gaps. */
export function looksLikeTable(rows: readonly (readonly string[])[]): boolean {
  const filled = rows.map((row) => row.filter((text) => text !== '').length);
  const several = filled.filter((count) => count >= 2).length;
  if (rows.length < 2 || several < Math.max(2, rows.length * 0.5)) return false;
  const columns = rows[0]?.length ?? 0;
  const share = (test: (row: readonly string[]) => boolean): number => rows.filter(test).length / rows.length;
  if (columns === 2 && share(([cell = '']) => cell.endsWith(':')) >= 0.6) return false;
  if (columns === 2 && share(([cell = '']) => MARKER.test(cell)) >= 0.5) return false;
  if (isContents(rows, columns)) return false;
  const cells = filled.reduce((sum, count) => sum + count, 0);
  return cells / (rows.length * columns) >= 0.45;
}

/** Leaders that end at pages: of contents in a last column, of an index within cells. */
function isContents(rows: readonly (readonly string[])[], columns: number): boolean {
  const led = rows.filter((row) => row.some((text) => LEADER.test(text)));
  if (led.length < Math.max(2, rows.length * 0.3)) return false;
  const within = led.filter((row) => row.some((text) => /(?:(?:\. ?){4,}|…)\s*[\divxlc]/u.test(text)));
  const paged = rows.filter((row) => PAGE.test(row.at(-1) ?? ''));
  return within.length >= led.length * 0.5 || (columns <= 3 && paged.length >= rows.length * 0.6);
}

/** Whether most columns consist of lines of text. */
export function isProse(lines: readonly Line[], columns: readonly Box[]): boolean {
  const long = columns.filter((column) => {
    const pieces = lines.flatMap((line) => line.filter((piece) => overlapX(column, piece) > 0));
    const full = pieces.filter((piece) => widthOf(piece) > widthOf(column) * 0.9);
    const words = median(pieces.map(({ text }) => wordsOf(text)));
    return words > MOST_WORDS || (words > 4 && full.length > pieces.length * 0.6 && pieces.length > 6);
  });
  return long.length * 2 > columns.length;
}

/** Terms beside what they mean, in sentences. */
export function isDefinitions(rows: readonly (readonly string[])[]): boolean {
  const meanings = rows.map((row) => row[1] ?? '').filter((text) => text !== '');
  const sentences = meanings.filter((text) => /[.;]$/u.test(text) && wordsOf(text) > 2);
  const long = median(meanings.map(wordsOf)) > MOST_WORDS;
  return rows[0]?.length === 2 && (long || sentences.length >= meanings.length * 0.5);
}

/** Whether nearly all lines are set like code, whose spaces stand below each other by chance. */
export function isListing(lines: readonly Line[]): boolean {
  const pieces = lines.flat();
  return pieces.filter(({ monospaced }) => monospaced).length >= pieces.length * 0.8;
}
