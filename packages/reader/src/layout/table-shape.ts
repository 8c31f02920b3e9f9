/** What has columns and is no table. */
import { overlapX, widthOf, median, type Box } from './geometry.ts';
import type { Line } from './page-parts.ts';

const MARKER = /^([•◦▪‣·–*-]|\(?[\p{L}\d]{1,3}[.)])$/u;
const LEADER = /(?:\. ?){4}/u;
/** Text with leaders before the number of a page. */
const LED = /^(.*?)(?:\. ?){4}\s*(\d{1,4}|[ivxlc]{1,8})(?:, \d+)*$/u;
/** More words in a line are text, not a cell. */
const MOST_WORDS = 8;

/** The number of a section, with which a title may begin. */
const SECTION_NUMBER = /^(?:\p{Nd}{1,3}|\p{Lu})(\.\p{Nd}{1,3}){0,4}\.?$/u;
/** Titles are larger than the text of a table by this factor. */
const LARGER = 1.09;

const wordsOf = (text: string): number => text.split(/\s+/).length;

/**
 * The title of a section, which is of no table: in bold, beside nothing but its number, and larger than the text, or with a number
 * of several parts.
 */
export function isSectionTitle(line: Line, size: number): boolean {
  const [first, ...others] = line;
  const number = others.length > 0 ? SECTION_NUMBER.exec(first?.text ?? '') : null;
  const title = number ? others : line;
  const isBelow = number?.[1] !== undefined && line.every((piece) => piece.size >= size);
  return (
    title.length === 1 &&
    title.every(({ text }) => /\p{L}{2}/u.test(text)) &&
    line.every((piece) => piece.bold && (isBelow || piece.size >= size * LARGER))
  );
}

/** Excludes lists of labels, lines of a justified paragraph, and text with accidental gaps. */
export function looksLikeTable(rows: readonly (readonly string[])[]): boolean {
  const filled = rows.map((row) => row.filter((text) => text !== '').length);
  const several = filled.filter((count) => count >= 2).length;
  if (rows.length < 2 || several < Math.max(2, rows.length * 0.5)) return false;
  const columns = rows[0]?.length ?? 0;
  const share = (test: (row: readonly string[]) => boolean): number => rows.filter(test).length / rows.length;
  if (columns === 2 && share(([cell = '']) => cell.endsWith(':')) >= 0.6) return false;
  if (columns === 2 && share(([cell = '']) => MARKER.test(cell)) >= 0.5) return false;
  const cells = filled.reduce((sum, count) => sum + count, 0);
  return cells / (rows.length * columns) >= 0.45;
}

/** Lines whose leaders end at pages: in their order, of contents, or in several columns, of an index. */
export function isContents(lines: readonly Line[]): boolean {
  const led = lines.flatMap((line) => {
    const [, within, page] = LED.exec(line.map(({ text }) => text).join(' ')) ?? [];
    return page === undefined ? [] : [{ page: Number(page), within: LEADER.test(within ?? '') }];
  });
  if (led.length < Math.max(2, lines.length * 0.25)) return false;
  const ordered = led.filter(({ page }, at) => !(page < (led[at - 1]?.page ?? 0)));
  return ordered.length >= led.length * 0.9 || led.filter(({ within }) => within).length >= led.length * 0.3;
}

/** Whether most columns consist of lines of text. */
export function isProse(lines: readonly Line[], columns: readonly Box[]): boolean {
  const long = columns.filter((column) => {
    const pieces = lines.flatMap((line) => line.filter((piece) => overlapX(column, piece) > 0));
    const full = pieces.filter((piece) => widthOf(piece) > widthOf(column) * 0.9);
    const words = median(pieces.map(({ text }) => wordsOf(text)));
    return words > MOST_WORDS || (words > 4 && full.length > pieces.length * 0.6 && pieces.length > 2);
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

/** Whether lines are set like code, whose spaces stand below each other by chance; numbers of lines may be beside it. */
export function isListing(lines: readonly Line[]): boolean {
  const letters = (line: Line): number => line.reduce((sum, { text }) => sum + text.length, 0);
  const set = (line: Line): Line => line.filter(({ monospaced }) => monospaced);
  const begun = lines.filter((line) => line.find(({ text }) => !/^\d+$/.test(text))?.monospaced);
  const all = lines.reduce((sum, line) => sum + letters(line), 0);
  return (
    begun.length >= lines.length * 0.7 &&
    lines.reduce((sum, line) => sum + letters(set(line)), 0) >= all * 0.5
  );
}
