import { plainText } from '../document/element.ts';
import { pageLine } from '../document/page-line.ts';
import type { PageContent, PageElement } from '../document/page.ts';
import { median } from '../layout/geometry.ts';
import { isLarge, numberDepth } from '../layout/headings.ts';
import { MARGIN } from '../layout/running-bands.ts';
import { isHeadingLine, isRunningLine, type RunningLine, runningLines } from '../layout/running-lines.ts';

/**
 * Settles the properties of a document with scans that only all pages show: repeated lines and heading levels. The
 * result depends on the pages alone, so it is reproducible, and settled pages do not change again.
 *
 * @param pages in order
 * @returns the same pages; unchanged ones are the same objects
 */
export function settlePages(pages: readonly PageContent[]): PageContent[] {
  return levelHeadings(markRunningLines(pages));
}

function markRunningLines(pages: readonly PageContent[]): PageContent[] {
  // A document without scans was read with a profile of all pages.
  if (!pages.some(({ source }) => source === 'ocr')) return [...pages];
  const known = runningLines(
    pages.map(({ pageNumber, elements }) => elements.flatMap((element) => lineOf(element, pageNumber) ?? [])),
  );
  if (known.length === 0) return [...pages];
  return pages.map((page) => {
    const runs = (element: PageElement): boolean => {
      // Lines marked by an earlier pass stay, and identify equal lines of a page that was read again.
      const line = element.role === undefined ? lineOf(element, page.pageNumber) : undefined;
      return line !== undefined && isRunningLine(line, known);
    };
    return page.elements.some(runs)
      ? { ...page, elements: page.elements.map((element) => (runs(element) ? asRunning(element) : element)) }
      : page;
  });
}

/** A single line at the top or bottom of its page that is not set as a heading. */
function lineOf(element: PageElement, pageNumber: number): RunningLine | undefined {
  const { type, box } = element;
  const y = box.y + box.h / 2;
  if (type !== 'heading' && type !== 'paragraph') return undefined;
  if (box.h >= MARGIN / 4 || (y > MARGIN && y < 1 - MARGIN)) return undefined;
  const { content } = element;
  const heading = type === 'heading';
  const larger = heading && isLarge(element.relativeSize ?? Infinity);
  return isHeadingLine(content, { heading, larger }) ? undefined : { ...pageLine(content, pageNumber), y };
}

function asRunning(element: PageElement): PageElement {
  const { box } = element;
  const role = box.y < 0.5 ? 'page_header' : 'page_footer';
  return { type: 'paragraph', content: plainText(element), box, role };
}

/** Relative difference below which sizes measured on a scan are of one style. */
const SAME_SIZE = 0.075;
/** If more than this share of the headings have numbers, the numbers define the levels. */
const NUMBERED = 0.6;
/** An unnumbered heading larger than the first numbered level by this factor is the title. */
const TITLE = 1.12;
const MOST_LEVELS = 6;

type PlacedHeading = Extract<PageElement, { type: 'heading' }>;

interface SizedHeading {
  element: PlacedHeading;
  size: number;
  /** Parts of its number; 0 without one. */
  depth: number;
}

/**
 * Assigns levels to the headings of scanned pages by the styles of all of them, since one page does not show the
 * document's styles. If the text layer has headings of several levels, nothing changes: scanned ones follow them
 * already. The result depends on sizes and texts only, so it is reproducible.
 *
 * @returns the same pages; unchanged ones are the same objects
 */
function levelHeadings(pages: readonly PageContent[]): PageContent[] {
  const known = pages
    .filter(({ source }) => source !== 'ocr')
    .flatMap(({ elements }) => headingsOf(elements));
  if (new Set(known.map(({ level }) => level)).size > 1) return [...pages];
  const sized = pages.flatMap(({ elements }) =>
    headingsOf(elements).flatMap((element): SizedHeading[] => {
      const size = element.fontSize ?? 0;
      return size > 0 ? [{ element, size, depth: numberDepth(element.content) }] : [];
    }),
  );
  const levels = levelsOf(sized);
  const leveled = (element: PageElement): PageElement => {
    if (element.type !== 'heading') return element;
    const level = levels.get(element) ?? element.level;
    return level === element.level ? element : { ...element, level };
  };
  return pages.map((page) => {
    const elements = page.elements.map(leveled);
    return elements.some((element, at) => element !== page.elements[at]) ? { ...page, elements } : page;
  });
}

const headingsOf = (elements: readonly PageElement[]): PlacedHeading[] =>
  elements.filter((element) => element.type === 'heading');

function levelsOf(headings: readonly SizedHeading[]): Map<PlacedHeading, number> {
  const numbered = headings.filter(({ depth }) => depth > 0);
  const levels =
    numbered.length > headings.length * NUMBERED
      ? levelsByNumber(headings, numbered)
      : levelsBySize(headings);
  return new Map([...levels].map(([{ element }, level]) => [element, Math.min(level, MOST_LEVELS)]));
}

function levelsByNumber(
  headings: readonly SizedHeading[],
  numbered: readonly SizedHeading[],
): Map<SizedHeading, number> {
  const first = median(numbered.filter(({ depth }) => depth === 1).map(({ size }) => size));
  const isTitle = ({ depth, size }: SizedHeading): boolean =>
    depth === 0 && first > 0 && size > TITLE * first;
  const below = headings.some(isTitle) ? 1 : 0;
  const nearest = (size: number): number =>
    numbered.reduce((best, other) =>
      Math.abs(other.size - size) < Math.abs(best.size - size) ? other : best,
    ).depth + below;
  return new Map(
    headings.map((heading) => [
      heading,
      isTitle(heading) ? 1 : heading.depth > 0 ? heading.depth + below : nearest(heading.size),
    ]),
  );
}

/** Joins the two nearest groups of sizes until all groups are apart. */
function levelsBySize(headings: readonly SizedHeading[]): Map<SizedHeading, number> {
  // Sizes are rounded, so there are few of them however many headings there are.
  const groups = [...Map.groupBy(headings, ({ size }) => size).values()].toSorted(
    ([a], [b]) => (b?.size ?? 0) - (a?.size ?? 0),
  );
  const middle = (group: readonly SizedHeading[] = []): number => median(group.map(({ size }) => size));
  for (;;) {
    const apart = groups.slice(1).map((group, at) => middle(groups[at]) / middle(group) - 1);
    const least = Math.min(...apart);
    if (!(least < SAME_SIZE)) break;
    const at = apart.indexOf(least);
    groups.splice(at, 2, [...(groups[at] ?? []), ...(groups[at + 1] ?? [])]);
  }
  return new Map(groups.flatMap((group, at) => group.map((heading) => [heading, at + 1])));
}
