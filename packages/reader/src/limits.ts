import { UnreadableDocument } from './opened-document.ts';

/** Limits of a document. Beyond them it is refused, not truncated. */
export const LIMITS = {
  pages: 10_000,
  /** Image of a page: A3 at 250 dpi. */
  rasterPixels: 12_000_000,
  /** A document's file. */
  fileBytes: 2 ** 30,
  /** Total unpacked size of the needed parts of a document that is an archive. */
  inflatedBytes: 400 * 2 ** 20,
  archiveEntries: 5_000,
  /** Elements of an XML part; a document of the maximum text has a tenth of them. */
  xmlElements: 20_000_000,
  /** Tables in tables, controls in controls. */
  xmlDepth: 500,
  /** Filled cells of all sheets of a workbook, of a CSV, or of all tables of a page of HTML. */
  cells: 1_000_000,
  /** Columns of a CSV. */
  columns: 16_384,
  /** Text of one page; longer text is not meant for people. */
  pageCharacters: 2_000_000,
  /** Text of a document without pages: as much as the maximum number of pages has; its chunks take hours to embed. */
  textBytes: 32 * 2 ** 20,
  /** Text of all pages of a document without a layout, with what its tables repeat and what its pages share. */
  flowCharacters: 100_000_000,
} as const;

/**
 * Processor time for the structure of a Markdown text, in milliseconds; beyond it, the text is read as plain text.
 * Prose takes 3.5 s per million characters, and a thread .4 s to load the parser, several times as much on a machine whose
 * processors are shared.
 */
export function markdownBudgetMs(characters: number): number {
  return 5_000 + (6 * characters) / 1000;
}

/**
 * Checks the page limit, before a reader lays out the first page: each page has a row and costs credits.
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
