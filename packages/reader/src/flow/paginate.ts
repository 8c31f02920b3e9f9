import { type ElementContent, lengthOf, marksWithin } from '../document/element.ts';
import type { PageContent, PageElement, PageSource } from '../document/page.ts';
import { pairOf } from '../layout/key-values.ts';
import { checkPageCount, LIMITS } from '../limits.ts';

/** An element of a document without pages: it has an order, but no position. A figure may name its picture in the archive. */
export type FlowElement = ElementContent & { picture?: string };
/** The profile's origin of pages: explicit page breaks, or division by length. */
export type PageDivision = 'page_breaks' | 'length';

/** About one printed page. */
export const PAGE_CHARACTERS = 3_000;

/**
 * Divides a document without pages into pages of about one printed page each; elements stay whole. A very long document
 * gets longer pages, within the page limit.
 */
export function divideByLength(elements: readonly FlowElement[]): FlowElement[][] {
  const total = elements.reduce((sum, element) => sum + lengthOf(element), 0);
  const length = Math.max(PAGE_CHARACTERS, Math.ceil(total / (LIMITS.pages / 2)));
  const pages: FlowElement[][] = [[]];
  let filled = 0;
  for (const element of elements) {
    const own = lengthOf(element);
    const full = filled + own > length * 1.2 || (filled > length * 0.7 && element.type === 'heading');
    if (full && filled > 0) {
      pages.push([]);
      filled = 0;
    }
    pages.at(-1)?.push(element);
    filled += own;
  }
  return pages;
}

/**
 * The pages of the parts of a package: sheets, slides, chapters. A part is read once, however often it is named, and none
 * after those that reach the page limit.
 *
 * @throws UnreadableDocument for too many pages
 */
export async function pagesOfParts(
  named: Iterable<string>,
  read: (part: string) => Promise<readonly FlowElement[][]>,
): Promise<FlowElement[][]> {
  const parts = new Set(named);
  const pages: FlowElement[][] = [];
  for (const part of parts) {
    for (const page of await read(part)) pages.push(page);
    checkPageCount(Math.max(1, pages.length));
  }
  return pages;
}

/** Elements get boxes of the whole width, one below the other, as high as their share of the page's text. */
export function makePages(pages: readonly (readonly FlowElement[])[], source: PageSource): PageContent[] {
  return pages.map((elements, index) => {
    const weights = elements.map((element) => lengthOf(element) + 40);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let above = 0;
    const placed = elements.map((element, at): PageElement => {
      const [from, to] = [above, above + (weights[at] ?? 0)];
      above = to;
      const [y, bottom] = [rounded(from / total), rounded(to / total)];
      const { picture: _, ...content } = element;
      return { ...content, box: { x: 0, y, w: 1, h: rounded(bottom - y) } };
    });
    return { pageNumber: index + 1, source, elements: placed };
  });
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

/** Neighbouring paragraphs of the form "Label: value" are pairs; a single one is text. */
export function joinPairs(elements: readonly FlowElement[]): FlowElement[] {
  const pairs = elements.map((element) =>
    element.type === 'paragraph' && element.role === undefined && element.content.length < 160
      ? pairOf(element.content)
      : undefined,
  );
  return elements.map((element, at) => {
    const pair = pairs[at];
    if (!pair || (!pairs[at - 1] && !pairs[at + 1]) || element.type !== 'paragraph') return element;
    const { content, marks } = element;
    // The value ends the text.
    const own = marks && { marks: marksWithin(marks, content.length - pair.value.length, content.length) };
    return { type: 'key_value', ...pair, ...own };
  });
}
