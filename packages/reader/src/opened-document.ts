import type { DocumentType } from './document/document-type.ts';
import type { PageLines } from './document/page-layout.ts';
import type { PageContent } from './document/page.ts';
import type { QuarterTurns } from './layout/geometry.ts';

/** A document in a file on this machine. */
export interface DocumentFile {
  path: string;
  type: DocumentType;
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
  /** Files that belong to it, as those of an e-mail. */
  attachments?: readonly Attachment[];
  /** Document-wide data needed to read one page: font sizes, running headers. JSON, a few kilobytes at most. */
  profile: object;
}

/** A file in a document, as the document describes it. */
export interface Attachment {
  /** Empty if it has none. */
  filename: string;
  contentType: string;
  sizeBytes: number;
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

/** What a drawing of a page may have at most, in pixels. */
export interface PageBounds {
  width: number;
  height: number;
}

/** A page as people see it: 8 bits of red, green and blue per pixel, row by row. */
export interface PageDrawing {
  width: number;
  height: number;
  rgb: Uint8Array;
}

/** What tells the pages of one document from those of another that it was joined with. */
export interface PageLook {
  /** In points. */
  width: number;
  height: number;
  /** Identities of the fonts that are embedded for its text. */
  fonts: readonly string[];
}

/** What a page without text may have on it. */
export interface PagePicture {
  /** Share of the page that is dark, without its edges. */
  ink: number;
  /** What its barcodes say. */
  barcodes: readonly string[];
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
  /** Absent for documents without a layout. */
  drawPage?(pageNumber: number, bounds: PageBounds): Promise<PageDrawing>;
  /** Some of its pages as a file of the same type, from one to another; of a PDF. */
  extractPages?(first: number, last: number): Promise<Uint8Array>;
  /** What is on the image of a page; of a PDF. */
  pagePicture?(pageNumber: number): Promise<PagePicture>;
  /** How some of its pages look, in their order; of a PDF. */
  pageLooks?(pageNumbers: readonly number[]): Promise<PageLook[]>;
  /** The bytes of an attachment, by its position. */
  readAttachment?(index: number): Promise<Uint8Array>;
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
