import type { ElementContent } from './element.ts';

/** A rectangle relative to its page: the origin is the top left corner, every number is between 0 and 1. */
export interface PageBox {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** One element of a page. Elements are in reading order. */
export type PageElement = ElementContent & Place;

interface Place {
  box: PageBox;
  /** Of a table on a page: the box of each cell, a merged one repeated; of its text where no lines are around it. */
  cellBoxes?: readonly (readonly PageBox[])[];
}

/** Origin of the text of a page. */
export type PageSource = 'text_layer' | 'ocr' | 'document';

/** The structure of one page. Formats without pages (DOCX, HTML, TXT …) are divided into pages by their reader. */
export interface PageContent {
  /** Numbered from 1. */
  pageNumber: number;
  source: PageSource;
  /** ISO 639-1 language of the page; null if there is too little text to detect it. */
  language?: string | null;
  elements: readonly PageElement[];
  /** How sure the rules are of its layout, from 0 to 1; absent for formats that state their structure. */
  confidence?: number;
}
