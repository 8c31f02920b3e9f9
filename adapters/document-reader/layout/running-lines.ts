/** Headers and footers: lines near the edge of the page that other pages have at the same height. */
import type { Segment } from './page-parts.ts';
import { makeSegment, toRows } from './segments.ts';

export interface RunningLine {
  /** The text with its numbers replaced, as page numbers differ. */
  pattern: string;
  /** Of the middle, relative to the page's height. */
  y: number;
}
export type RunningRole = 'page_header' | 'page_footer';

/** Part of the page's height at its top and at its bottom where running lines are. */
export const MARGIN = 0.13;
const SAME_HEIGHT = 0.012;
const PAGE_NUMBER =
  /^\W{0,2}(?:page|seite|p\.|página|pagina|صفحة)?\s?#\s?(?:(?:of|von|de|sur|di|\/|\|)\s?#)?\W{0,2}$/iu;
const MOST_LINES = 400;

/** The lines of a page that might run, outermost first. */
export function marginLines(segments: readonly Segment[], height: number): RunningLine[] {
  return marginRows(segments, height).map(({ pattern, y }) => ({ pattern, y }));
}

/** @param pages the margin lines of each page that was looked at */
export function runningLines(pages: readonly (readonly RunningLine[])[]): RunningLine[] {
  const seen = new Map<string, { pattern: string; y: number; count: number }[]>();
  for (const { pattern, y } of pages.flat()) {
    const same = seen.get(pattern) ?? [];
    const known = same.find((other) => Math.abs(other.y - y) < SAME_HEIGHT);
    if (known) known.count += 1;
    else seen.set(pattern, [...same, { pattern, y, count: 1 }]);
  }
  const least = pages.length <= 4 ? 2 : Math.max(3, Math.min(6, pages.length * 0.02));
  return [...seen.values()]
    .flat()
    .filter(({ count }) => count >= least)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_LINES)
    .map(({ pattern, y }) => ({ pattern, y: Math.round(y * 1000) / 1000 }));
}

export const isRunningLine = ({ pattern, y }: RunningLine, known: readonly RunningLine[]): boolean =>
  known.some((line) => line.pattern === pattern && Math.abs(line.y - y) < 2 * SAME_HEIGHT);

/** A text as its other pages have it. */
export const runningPattern = (text: string): string =>
  text
    .replaceAll(/\p{N}+/gu, '#')
    .replace(/^[ivxlc]+$/, '#')
    .slice(0, 80);

/** Which segments of a page are running lines. */
export function findRunningLines(
  segments: readonly Segment[],
  height: number,
  known: readonly RunningLine[],
): Map<Segment, RunningRole> {
  const roles = new Map<Segment, RunningRole>();
  for (const { pattern, y, row } of marginRows(segments, height)) {
    const runs = isRunningLine({ pattern, y }, known);
    const outermost = y > 1 - MARGIN * 0.6 || y < MARGIN * 0.5;
    if (!runs && !(outermost && PAGE_NUMBER.test(pattern))) continue;
    for (const segment of row) roles.set(segment, y < 0.5 ? 'page_header' : 'page_footer');
  }
  return roles;
}

function marginRows(segments: readonly Segment[], height: number) {
  const rows = toRows(segments.filter(({ y0, y1 }) => y1 < height * MARGIN || y0 > height * (1 - MARGIN)));
  return rows.map((row) => ({
    row,
    pattern: runningPattern(makeSegment(row.flatMap(({ runs }) => runs)).text),
    y: row.reduce((sum, { y0, y1 }) => sum + (y0 + y1) / 2, 0) / row.length / height,
  }));
}
