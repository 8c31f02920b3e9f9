/** Headers and footers: lines near the page edge that neighbouring pages repeat at the same height. */
import { isSameLine, pageLine, type PageLine } from '../document/page-line.ts';
import { headingStyle, isHeading, isLarge, type BodyStyle } from './headings.ts';
import type { Segment } from './page-parts.ts';
import { isInBand, MARGIN, type RunningBand } from './running-bands.ts';
import { makeSegment, toRows } from './segments.ts';

export interface RunningLine extends PageLine {
  /** Vertical middle, relative to the page's height. */
  y: number;
}
export type RunningRole = 'page_header' | 'page_footer';

const SAME_HEIGHT = 0.012;
/** Maximum number of lines compared per page, nearest to its edges first. */
const MOST_OF_PAGE = 40;
/** Minimum number of pages that a line runs over. */
const LEAST_PAGES = 4;
/** One neighbour in two may lack the line, since left and right pages differ: it is on more than half of the pages. */
const NEAR = 2;
/**
 * A line must be on so many of the sampled pages of a long document: two may share one by chance, unless its number
 * counts with the pages.
 */
const LEAST_TIMES = 3;
const MOST_LINES = 200;
/** Longer ones are paragraphs. */
const LONGEST = 300;
const PAGE = /^(?:page|seite|blatt|p\.|página|pagina|صفحة)\s/iu;

/** A row in the margin of a page. */
export type MarginRow = readonly Segment[];

export function marginRows(segments: readonly Segment[], height: number): MarginRow[] {
  return toRows(segments.filter(({ y0, y1 }) => y1 < height * MARGIN || y0 > height * (1 - MARGIN)));
}

/** A row of a page as a candidate for a running line; headings never are. */
export function marginLine(
  row: MarginRow,
  body: BodyStyle,
  page: { number: number; height: number },
): RunningLine | undefined {
  const text = textOf(row);
  if (text.length > LONGEST || isHeadingRow(row, body)) return undefined;
  const y = row.reduce((sum, { y0, y1 }) => sum + (y0 + y1) / 2, 0) / row.length / page.height;
  return { ...pageLine(text, page.number), y };
}

/**
 * The running lines: on more than half of at least four pages, equal or with numbers that count with the pages.
 *
 * @param pages margin lines of each sampled page, in order
 */
export function runningLines(pages: readonly (readonly RunningLine[])[]): RunningLine[] {
  const outermost = pages.map((lines) =>
    lines.toSorted((a, b) => fromEdge(a) - fromEdge(b)).slice(0, MOST_OF_PAGE),
  );
  const placed = outermost.flatMap((lines, at) => lines.map((line) => ({ line, at })));
  return [...Map.groupBy(placed, ({ line }) => line.words).values()]
    .flatMap(runsOf)
    .filter(
      ({ first, last, times }) =>
        last.pageNumber - first.pageNumber >= LEAST_PAGES - 1 &&
        (times >= LEAST_TIMES || first.numbers.some((number, at) => number !== last.numbers[at])),
    )
    .toSorted((a, b) => b.times - a.times)
    .slice(0, MOST_LINES)
    .map(({ first }) => ({ ...first, y: Math.round(first.y * 1000) / 1000 }));
}

interface LineRun {
  first: RunningLine;
  last: RunningLine;
  /** Index of its last page among the sampled pages. */
  at: number;
  times: number;
}

/** @param placed lines with the same words, in order */
function runsOf(placed: readonly { line: RunningLine; at: number }[]): LineRun[] {
  const ended: LineRun[] = [];
  let open: LineRun[] = [];
  for (const { line, at } of placed) {
    ended.push(...open.filter((run) => at - run.at > NEAR));
    open = open.filter((run) => at - run.at <= NEAR);
    const run = open.find(({ first }) => isNear(first, line, SAME_HEIGHT));
    if (!run) open.push({ first: line, last: line, at, times: 1 });
    else if (run.at < at) Object.assign(run, { last: line, at, times: run.times + 1 });
  }
  return [...ended, ...open];
}

export const isRunningLine = (line: RunningLine, known: readonly RunningLine[]): boolean =>
  known.some((other) => isNear(other, line, 2 * SAME_HEIGHT));

/** Finds the segments of a page that are running lines. */
export function findRunningLines(
  segments: readonly Segment[],
  { running: known, bands = [] }: { running: readonly RunningLine[]; bands?: readonly RunningBand[] },
  body: BodyStyle,
  page: { number: number; height: number },
): Map<Segment, RunningRole> {
  const roles = new Map<Segment, RunningRole>();
  if (known.length + bands.length === 0) return roles;
  for (const row of marginRows(segments, page.height)) {
    const line = marginLine(row, body, page);
    if (!line || !(isRunningLine(line, known) || isInBand(row, bands, page.height))) continue;
    for (const segment of row) roles.set(segment, line.y < 0.5 ? 'page_header' : 'page_footer');
  }
  return roles;
}

/**
 * Whether a line is set as a heading: larger than the text, or bold or in capitals with a number of its own, such as
 * "Exercise 3". Without such a number, a repeated line is a running title, however bold.
 */
export const isHeadingLine = (text: string, look: { larger: boolean; heading: boolean }): boolean =>
  look.larger || (look.heading && /^\p{L}+\.?\s+\p{N}{1,4}$/u.test(text) && !PAGE.test(text));

function isHeadingRow(row: MarginRow, body: BodyStyle): boolean {
  return row.some((segment) =>
    isHeadingLine(segment.text, {
      larger: isLarge(segment.size / body.size) && /\p{L}{2}|\p{Script=Han}/u.test(segment.text),
      heading: isHeading(segment.text, headingStyle(segment.text, segment), body, 1),
    }),
  );
}

const textOf = (row: MarginRow): string => makeSegment(row.flatMap(({ runs }) => runs)).text;
const fromEdge = ({ y }: RunningLine): number => Math.min(y, 1 - y);
const isNear = (one: RunningLine, other: RunningLine, height: number): boolean =>
  Math.abs(one.y - other.y) < height && isSameLine(one, other);
