import type {
  DocumentFacts,
  DocumentFile,
  PageBounds,
  PageImage,
  PageLook,
  PagePicture,
  PageRaster,
  PageWithLines,
  QuarterTurns,
} from 'darkroom-reader';
import type { PageContent } from 'darkroom-reader/document';

/** A document in a file on this machine, and whose it is. */
export interface DocumentSource extends DocumentFile {
  /** For fair sharing of the readers. */
  tenantId: string;
  /** The run whose tasks share a total of processor time (`totalBudgetMs`); without it, each task has its own alone. */
  run?: string;
}

/**
 * Reads documents in a separate process, which is killed if it uses more processor time or memory than a document of
 * its size may. All methods throw UnreadableDocument for documents that can never be read: encrypted, damaged, over a
 * limit.
 */
export interface DocumentReader {
  inspect(source: DocumentSource, signal: AbortSignal): Promise<DocumentFacts>;
  /**
   * Structure of pages that need no recogniser.
   *
   * @param linesBelow pages of a lower confidence come with their lines; by default none
   */
  readPages(
    source: DocumentSource,
    profile: unknown,
    pageNumbers: readonly number[],
    signal: AbortSignal,
    linesBelow?: number,
  ): Promise<(PageContent | PageWithLines)[]>;
  /** The bytes of an attachment, by its position among those that `inspect` lists. */
  readAttachment(source: DocumentSource, index: number, signal: AbortSignal): Promise<Uint8Array>;
  /** What is on the image of a page of a PDF: ink and barcodes. */
  pagePicture(source: DocumentSource, pageNumber: number, signal: AbortSignal): Promise<PagePicture>;
  /** The sizes and fonts of some pages of a PDF, in their order. */
  pageLooks(source: DocumentSource, pageNumbers: readonly number[], signal: AbortSignal): Promise<PageLook[]>;
  /** Pages of a PDF as a PDF of their own, with their text. */
  extractPages(
    source: DocumentSource,
    pages: { first: number; last: number },
    signal: AbortSignal,
  ): Promise<Uint8Array>;
  /**
   * Renders a page with level lines of text, for a recogniser, judged by their shape alone: they may be upside down.
   * Boxes on it are within a hundredth or two of the page's.
   */
  renderPage(source: DocumentSource, pageNumber: number, signal: AbortSignal): Promise<PageRaster>;
  /**
   * The image for the boxes of a recognised page, without the document's metadata.
   *
   * @param turns of the recognised page
   * @param maxDimension longer side, in pixels
   */
  showPage(
    source: DocumentSource,
    page: { pageNumber: number; turns: QuarterTurns; maxDimension: number },
    signal: AbortSignal,
  ): Promise<PageImage>;
  /** A page as people see it, upright by its rotation, in colour, as large as the bounds allow; of a PDF or TIFF. */
  drawPage(
    source: DocumentSource,
    page: { pageNumber: number; bounds: PageBounds },
    signal: AbortSignal,
  ): Promise<PageImage>;
  /** The picture of its first page that a document brings along, not decoded; null without one. */
  cover(source: DocumentSource, signal: AbortSignal): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

/** The child process died while reading. Retryable. */
export class ReaderCrashed extends Error {
  override readonly name = 'ReaderCrashed';

  constructor(exitCode: number | null, signal: NodeJS.Signals | null) {
    super(`The document reader died (${signal ?? `exit code ${exitCode}`}).`);
  }
}

/** The reader was closed before the task was done. */
export class ReaderClosed extends Error {
  override readonly name = 'ReaderClosed';

  constructor() {
    super('The document reader is closed.');
  }
}
