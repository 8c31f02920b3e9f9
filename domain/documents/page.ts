/** Kinds of page elements of the contract. */
export const ELEMENT_TYPES = ['heading', 'paragraph', 'table', 'key_value', 'list', 'figure'] as const;
export type ElementType = (typeof ELEMENT_TYPES)[number];

/** A rectangle relative to its page: the origin is the top left corner, every number is between 0 and 1. */
export interface PageBox {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** One element of a page. Elements are in reading order. */
export interface PageElement {
  type: ElementType;
  /** Text; GitHub-flavoured Markdown for a table; one Markdown item per line for a list. */
  content: string;
  box: PageBox;
  /**
   * `level` of a heading (1 is the highest), and on a scan its `font_size` in points and its `relative_size` as a
   * multiple of the page's text size; `rows` and `columns` of a table; `key` and `value` of a key_value; `role` of
   * lines outside the body text: `page_header`, `page_footer` (lines that run over four pages or more), `footnote`.
   */
  metadata: Readonly<Record<string, string | number | boolean>>;
}

/** Origin of the text of a page. */
export type PageSource = 'text_layer' | 'ocr' | 'document';

/** The structure of one page. Formats without pages (DOCX, TXT, MD) are divided into pages by their reader. */
export interface PageContent {
  /** Numbered from 1. */
  pageNumber: number;
  source: PageSource;
  /** ISO 639-1 language of the page; null if there is too little text to detect it. */
  language?: string | null;
  elements: readonly PageElement[];
}
