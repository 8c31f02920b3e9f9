import { pageLine } from '../../../domain/documents/page-line.ts';
import type { PageContent, PageElement } from '../../../domain/documents/page.ts';
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
      const line = element.metadata['role'] === undefined ? lineOf(element, page.pageNumber) : undefined;
      return line !== undefined && isRunningLine(line, known);
    };
    return page.elements.some(runs)
      ? { ...page, elements: page.elements.map((element) => (runs(element) ? asRunning(element) : element)) }
      : page;
  });
}

/** A single line at the top or bottom of its page that is not set as a heading. */
function lineOf({ type, content, box, metadata }: PageElement, pageNumber: number): RunningLine | undefined {
  const y = box.y + box.h / 2;
  const single = box.h < MARGIN / 4 && (type === 'heading' || type === 'paragraph');
  if (!single || (y > MARGIN && y < 1 - MARGIN)) return undefined;
  const heading = type === 'heading';
  const larger = heading && isLarge(Number(metadata['relative_size'] ?? Infinity));
  return isHeadingLine(content, { heading, larger }) ? undefined : { ...pageLine(content, pageNumber), y };
}

function asRunning({ content, box }: PageElement): PageElement {
  const role = box.y < 0.5 ? 'page_header' : 'page_footer';
  return { type: 'paragraph', content, box, metadata: { role } };
}

/** Relative difference below which sizes measured on a scan are of one style. */
const SAME_SIZE = 0.075;
/** If more than this share of the headings have numbers, the numbers define the levels. */
const NUMBERED = 0.6;
/** An unnumbered heading larger than the first numbered level by this factor is the title. */
const TITLE = 1.12;
const MOST_LEVELS = 6;

interface SizedHeading {
  element: PageElement;
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
  if (new Set(known.map(({ metadata }) => metadata['level'])).size > 1) return [...pages];
  const sized = pages.flatMap(({ elements }) =>
    headingsOf(elements).flatMap((element): SizedHeading[] => {
      const size = Number(element.metadata['font_size']);
      return size > 0 ? [{ element, size, depth: numberDepth(element.content) }] : [];
    }),
  );
  const levels = levelsOf(sized);
  return pages.map((page) =>
    page.elements.some((element) => isOther(levels.get(element), element))
      ? { ...page, elements: page.elements.map((element) => withLevel(element, levels.get(element))) }
      : page,
  );
}

const headingsOf = (elements: readonly PageElement[]): PageElement[] =>
  elements.filter(({ type }) => type === 'heading');

const isOther = (level: number | undefined, { metadata }: PageElement): boolean =>
  level !== undefined && level !== metadata['level'];

const withLevel = (element: PageElement, level: number | undefined): PageElement =>
  isOther(level, element) ? { ...element, metadata: { ...element.metadata, level: level ?? 1 } } : element;

function levelsOf(headings: readonly SizedHeading[]): Map<PageElement, number> {
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
