import { pageLine } from '../../../domain/documents/page-line.ts';
import type { PageContent, PageElement } from '../../../domain/documents/page.ts';
import { isLarge } from '../layout/headings.ts';
import {
  isHeadingLine,
  isRunningLine,
  MARGIN,
  runningLines,
  type RunningLine,
} from '../layout/running-lines.ts';
import { levelHeadings } from './level-headings.ts';

/**
 * What only all pages together tell of a document with scans: which lines repeat, and which levels headings have. The result
 * depends on the pages alone, so that it is the same each time, and once settled they stay as they are.
 *
 * @param pages in order
 * @returns the same pages, those without changes as they are
 */
export function settlePages(pages: readonly PageContent[]): PageContent[] {
  return levelHeadings(markRunningLines(pages));
}

function markRunningLines(pages: readonly PageContent[]): PageContent[] {
  // A document without scans was read with what all of its pages have in common.
  if (!pages.some(({ source }) => source === 'ocr')) return [...pages];
  const known = runningLines(
    pages.map(({ pageNumber, elements }) => elements.flatMap((element) => lineOf(element, pageNumber) ?? [])),
  );
  if (known.length === 0) return [...pages];
  return pages.map((page) => {
    const runs = (element: PageElement): boolean => {
      // Those that an earlier pass marked stay, and tell which lines of a page that was read again are like them.
      const line = element.metadata['role'] === undefined ? lineOf(element, page.pageNumber) : undefined;
      return line !== undefined && isRunningLine(line, known);
    };
    return page.elements.some(runs)
      ? { ...page, elements: page.elements.map((element) => (runs(element) ? asRunning(element) : element)) }
      : page;
  });
}

/** A single line at the top or the bottom of its page, unless it is set as a heading. */
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
