import type { DocumentType } from '../../domain/documents/document-type.ts';
import type { PageLines } from '../../domain/documents/page-layout.ts';
import type { PageContent } from '../../domain/documents/page.ts';
import type { QuarterTurns } from './layout/geometry.ts';

/** A document in a file on this machine. */
export interface DocumentSource {
  path: string;
  type: DocumentType;
  /** The tenant, for fair sharing of the readers. */
  tenantId: string;
  /** The run whose tasks share a total of processor time (`totalBudgetMs`); without it, each task has its own alone. */
  run?: string;
}

/** Facts about a document, known before its pages are read. */
export interface DocumentFacts {
  pageCount: number;
  title: string | null;
  author: string | null;
  /** ISO 8601, from the document's own metadata. */
  createdAt: string | null;
  /** ISO 639-1; null if it cannot be detected, as in scans. */
  language: string | null;
  /** Pages (from 1) without a usable text layer: they must be rendered and recognised. */
  pagesToRecognise: readonly number[];
  /** Document-wide data needed to read one page: font sizes, running headers. JSON, a few kilobytes at most. */
  profile: unknown;
}

/** An image of a page for a recogniser: 8 bits of grey per pixel, row by row. */
export interface PageRaster {
  width: number;
  height: number;
  grey: Uint8Array;
  /** Pixels per inch of the page. */
  dpi: number;
  /** Quarter turns clockwise of the page's text; the image is turned back by as many. */
  turns: QuarterTurns;
}

/** An image of a page for people and models, upright. */
export interface PageImage {
  bytes: Uint8Array;
  contentType: 'image/jpeg';
}

/** The structure of a page, and the lines that it was made of. */
export interface PageWithLines extends PageContent {
  confidence: number;
  lines: PageLines;
}

/** A recognised word, in pixels of its raster. */
export interface RecognisedWord {
  text: string;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  /** 0 to 100. */
  confidence: number;
  /** The number of its block of text, as the recogniser sees it: lines do not reach into others. */
  block?: number;
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
  close(): Promise<void>;
}

/** Reasons why a document can never be read, for error codes and messages. */
export type UnreadableReason =
  | 'encrypted'
  | 'damaged'
  | 'too_many_pages'
  | 'too_large'
  | 'took_too_long'
  /** All tasks of the run together. */
  | 'budget_spent'
  | 'empty';

export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
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

/** A document that is open in this process. */
export interface OpenDocument {
  pageCount: number;
  inspect(): Promise<DocumentFacts>;
  readPages(
    profile: unknown,
    pageNumbers: readonly number[],
    linesBelow?: number,
  ): Promise<(PageContent | PageWithLines)[]>;
  renderPage(pageNumber: number): Promise<PageRaster>;
  close(): Promise<void>;
}
