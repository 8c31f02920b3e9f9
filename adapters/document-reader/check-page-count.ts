import { UnreadableDocument } from './document-reader.ts';
import { LIMITS } from './limits.ts';

/**
 * The limit of pages, which every reader checks before it lays out the first one: each page has a row and costs credits.
 *
 * @throws UnreadableDocument for too many pages, and for none
 */
export function checkPageCount(pageCount: number): void {
  if (pageCount > LIMITS.pages) {
    throw new UnreadableDocument(
      'too_many_pages',
      `The document has ${pageCount} pages; at most ${LIMITS.pages} are read.`,
    );
  }
  if (pageCount < 1) throw new UnreadableDocument('empty', 'The document has no pages.');
}
