/** Sheets on which two pages are printed beside each other: each is read by itself, whatever is on it. */
import { looksLikeText } from './column-shape.ts';
import { greatest, least } from './geometry.ts';
import type { PageParts, Run, Segment } from './page-parts.ts';
import { toSegments } from './segments.ts';

/** A sheet is wider than high by this factor. */
const WIDE = 1.15;
/** The strip along the fold, on either side, relative to the sheet, and the share of text that may reach into it. */
const STRIP = 0.01;
const MOST_WITHIN = 0.05;
/** Where running titles and page numbers stand, relative to the text's height. */
const MARGIN = 0.12;
/** Twins are as high as each other and half a sheet apart, but for these shares of its sides. */
const SAME_HEIGHT = 0.01;
const SAME_PLACE = 0.03;
const MOST_LINES = 200;
/** Least length of a line of a table, relative to the sheet, and number of them on each half. */
const LONG_RULE = 0.1;
const FEWEST_RULES = 3;
/** Share of a document's sheets that must be sure for the others to be sheets of two pages as well. */
const MOST = 0.5;

type Sheet = Pick<PageParts, 'width' | 'height' | 'runs' | 'rules'>;

/** The runs of both pages of a sheet that can be one of two pages. */
function halvesOf({ width, height, runs, rules }: Sheet): [Run[], Run[]] | undefined {
  if (width < height * WIDE) return undefined;
  const fold = width / 2;
  const [from, to] = [fold - width * STRIP, fold + width * STRIP];
  const within = runs.filter(({ x0, x1 }) => x0 < to && x1 > from);
  if (within.length > runs.length * MOST_WITHIN || within.some(({ x0, x1 }) => x0 < fold && x1 > fold))
    return undefined;
  const left = runs.filter(({ x1 }) => x1 <= fold);
  const right = runs.filter(({ x1 }) => x1 > fold);
  if (left.length === 0 || right.length === 0) return undefined;
  const [top, bottom] = [least(runs.map(({ y0 }) => y0)), greatest(runs.map(({ y1 }) => y1))];
  // A line along the fold is none of a table that is on both.
  const isAcross = rules.some(({ x0, x1, y0, y1 }) => x0 < from && x1 > to && y0 > top && y1 < bottom);
  return isAcross ? undefined : [left, right];
}

/** Whether what is on both halves says that they are pages. */
function arePages([left, right]: [Run[], Run[]], sheet: Sheet): boolean {
  const [one, other] = [toSegments(left), toSegments(right)];
  const areText = looksLikeText(one) && looksLikeText(other);
  return areText || haveTwins(one, other, sheet) || haveTables(sheet);
}

/** Whether both halves have lines of their own, as tables do that end before the fold. */
function haveTables({ width, rules }: Sheet): boolean {
  const across = rules.filter(({ x0, x1 }) => x1 - x0 > width * LONG_RULE);
  const left = across.filter(({ x1 }) => x1 <= width / 2).length;
  return Math.min(left, across.length - left) >= FEWEST_RULES;
}

/** A running title on both pages, or numbers that count on. */
function haveTwins(one: readonly Segment[], other: readonly Segment[], { width, height }: Sheet): boolean {
  const lines = [...one, ...other];
  const [top, bottom] = [least(lines.map(({ y0 }) => y0)), greatest(lines.map(({ y1 }) => y1))];
  const margin = (bottom - top) * MARGIN;
  const inMargin = (some: readonly Segment[]): Segment[] =>
    some.filter(({ baseline }) => baseline < top + margin || baseline > bottom - margin).slice(0, MOST_LINES);
  return inMargin(one).some((line) =>
    inMargin(other).some((next) => {
      if (Math.abs(next.baseline - line.baseline) > height * SAME_HEIGHT) return false;
      if (/^\D{0,9}\d{1,4}\D{0,9}$/u.test(line.text)) return numberOf(next.text) === numberOf(line.text) + 1;
      const shift = Math.abs(next.x0 - line.x0 - width / 2);
      return /\p{L}{3}/u.test(line.text) && next.text === line.text && shift < width * SAME_PLACE;
    }),
  );
}

const numberOf = (text: string): number => Number(/\d+/.exec(text)?.[0] ?? NaN);

/** Whether a document's sheets have two pages each, by those that are surely such ones. */
export function isImposed(sheets: readonly Sheet[]): boolean {
  const wide = sheets.filter(({ width, height, runs }) => runs.length > 0 && width >= height * WIDE);
  const sure = wide.filter((sheet) => {
    const halves = halvesOf(sheet);
    return halves !== undefined && arePages(halves, sheet);
  });
  return sure.length > 0 && sure.length >= wide.length * MOST;
}

/** The runs of each page of a sheet; all runs for a page by itself. */
export const imposedPages = (sheet: Sheet, imposed: boolean): Run[][] =>
  (imposed ? halvesOf(sheet) : undefined) ?? [[...sheet.runs]];
