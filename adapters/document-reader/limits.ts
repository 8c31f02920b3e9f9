import { UnreadableDocument } from './document-reader.ts';

/** Limits on what a document may ask of its reader. Beyond them it is refused, not cut. */
export const LIMITS = {
  pages: 10_000,
  /** Of a page's image: an A3 page at 250 dpi. */
  rasterPixels: 12_000_000,
  /** Of an image inside a document. */
  imagePixels: 80_000_000,
  /** Of a document in a file. */
  fileBytes: 2 ** 30,
  /** Of all that is unpacked from one DOCX. */
  inflatedBytes: 400 * 2 ** 20,
  archiveEntries: 5_000,
  /** Of the text of one page; more is not text for people. */
  pageCharacters: 2_000_000,
  /** Of all text of a document without pages: as much as the most pages have, of which the chunks take hours to embed. */
  textBytes: 32 * 2 ** 20,
} as const;

/**
 * Processor time for the structure of a Markdown text, in milliseconds; one that takes more is read as plain text. Prose
 * takes three seconds and a half for a million characters.
 */
export function markdownBudgetMs(characters: number): number {
  return 3_000 + (6 * characters) / 1000;
}

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
