import type { PageContent, PageElement } from '../../../domain/documents/page.ts';
import {
  isRunningLine,
  MARGIN,
  runningLines,
  runningPattern,
  type RunningLine,
} from '../layout/running-lines.ts';
import { levelHeadings } from './level-headings.ts';

/**
 * What only all scanned pages together tell: which lines repeat on them, and which levels their headings have. The result
 * depends on the pages alone, so that it is the same each time, and once settled they stay as they are.
 *
 * @returns the same pages, those without changes as they are
 */
export function settlePages(pages: readonly PageContent[]): PageContent[] {
  return levelHeadings(markRunningLines(pages));
}

function markRunningLines(pages: readonly PageContent[]): PageContent[] {
  const scanned = pages.filter(({ source }) => source === 'ocr');
  const known = runningLines(
    scanned.map(({ elements }) => elements.flatMap((element) => lineOf(element) ?? [])),
  );
  if (known.length === 0) return [...pages];
  return pages.map((page) =>
    page.source === 'ocr' && page.elements.some((element) => runs(element, known))
      ? {
          ...page,
          elements: page.elements.map((element) => (runs(element, known) ? asRunning(element) : element)),
        }
      : page,
  );
}

/** A single line at the top or the bottom of its page. */
function lineOf({ type, content, box }: PageElement): RunningLine | undefined {
  const y = box.y + box.h / 2;
  const single = box.h < MARGIN / 4 && (type === 'heading' || type === 'paragraph');
  if (!single || (y > MARGIN && y < 1 - MARGIN)) return undefined;
  return { pattern: runningPattern(content), y };
}

function runs(element: PageElement, known: readonly RunningLine[]): boolean {
  // Those that an earlier pass marked stay, and tell which lines of a page that was read again are like them.
  const line = element.metadata['role'] === undefined ? lineOf(element) : undefined;
  return line !== undefined && isRunningLine(line, known);
}

function asRunning({ content, box }: PageElement): PageElement {
  const role = box.y < 0.5 ? 'page_header' : 'page_footer';
  return { type: 'paragraph', content, box, metadata: { role } };
}
