/**
 * Headers and footers whose words change from page to page, such as the title of the section: rows at one height of many
 * pages, apart from the text.
 */
import { isLarge, type BodyStyle } from './headings.ts';
import type { Segment } from './page-parts.ts';
import { toRows } from './segments.ts';

/** Share of the page's height at its top and bottom that may have running lines. */
export const MARGIN = 0.13;

/** A height at which pages have running lines. JSON. */
export interface RunningBand {
  /** Baseline, relative to the page's height. */
  y: number;
  size: number;
}

interface OuterRow extends RunningBand {
  pageNumber: number;
  texts: readonly string[];
  /** The number that the row begins or ends with. */
  number: number | undefined;
}

/** Pages that have a row in a band: so many, and this share of all. */
const LEAST_PAGES = 4;
const LEAST_SHARE = 0.4;
/** Share of its rows that count the pages, or repeat what a page nearby has. */
const LEAST_RUNNING = 0.6;
const SAME_HEIGHT = 0.004;
const SAME_SIZE = 0.05;
/** Distance from the text, in heights of the font. */
const APART = 1.55;
/** Pages this far from each other may share the title of a section. */
const NEAR = 2;

/** The outermost rows of a page that stand apart from its text. */
export function outerRows(
  segments: readonly Segment[],
  body: BodyStyle,
  { number: pageNumber, height }: { number: number; height: number },
): OuterRow[] {
  const rows = toRows(segments);
  const ends = [
    [rows[0], rows[1]],
    [rows.at(-1), rows.at(-2)],
  ] as const;
  return ends.flatMap(([row, next]): OuterRow[] => {
    if (!row?.[0] || !next?.[0]) return [];
    const [{ baseline }] = row;
    const size = Math.max(...row.map((segment) => segment.size));
    const isOuter = baseline < height * MARGIN || baseline > height * (1 - MARGIN);
    if (!isOuter || isLarge(size / body.size)) return [];
    if (Math.abs(next[0].baseline - baseline) < APART * Math.max(size, next[0].size)) return [];
    const texts = row.map(({ text }) => text);
    const number = /^\d{1,4}(?=\s|$)/.exec(texts[0] ?? '') ?? /(?<=\s|^)\d{1,4}$/.exec(texts.at(-1) ?? '');
    return [
      { y: baseline / height, size, pageNumber, texts, number: number ? Number(number[0]) : undefined },
    ];
  });
}

/** @param pages the outer rows of each sampled page, in order */
export function runningBands(pages: readonly (readonly OuterRow[])[]): RunningBand[] {
  const bands: OuterRow[][] = [];
  for (const row of pages.flat().toSorted((a, b) => a.y - b.y)) {
    const band = bands.at(-1);
    if (band?.[0] && row.y - band[0].y <= SAME_HEIGHT) band.push(row);
    else bands.push([row]);
  }
  return bands.flatMap((band) => {
    const [first] = band;
    if (!first || band.length < Math.max(LEAST_PAGES, pages.length * LEAST_SHARE)) return [];
    const inOrder = band.toSorted((a, b) => a.pageNumber - b.pageNumber);
    const running = inOrder.filter((row, at) =>
      inOrder
        .slice(Math.max(0, at - NEAR), at + NEAR + 1)
        .some((other) => other !== row && (counts(row, other) || repeats(row, other))),
    );
    if (running.length < band.length * LEAST_RUNNING) return [];
    return [{ y: Math.round(first.y * 1000) / 1000, size: first.size }];
  });
}

const counts = (one: OuterRow, other: OuterRow): boolean =>
  one.number !== undefined &&
  other.number !== undefined &&
  other.number - one.number === other.pageNumber - one.pageNumber;

const repeats = (one: OuterRow, other: OuterRow): boolean =>
  one.texts.some((text) => /\p{L}{2}/u.test(text) && other.texts.includes(text));

/** Whether a row of a page is in a band of running lines. */
export function isInBand(row: readonly Segment[], bands: readonly RunningBand[], height: number): boolean {
  const [first] = row;
  if (!first) return false;
  const size = Math.max(...row.map((segment) => segment.size));
  return bands.some(
    (band) =>
      Math.abs(first.baseline / height - band.y) <= 1.5 * SAME_HEIGHT &&
      Math.abs(size - band.size) <= SAME_SIZE * size,
  );
}
