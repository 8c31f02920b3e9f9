/** Kinds of elements of a page, as the contract names them. */
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
  /** Text; of a table, GitHub-flavoured Markdown; of a list, one Markdown item a line. */
  content: string;
  box: PageBox;
  /**
   * `level` of a heading (1 is the highest), and of one on a scan its `font_size` in points and its `relative_size`, times
   * that of the page's text; `rows` and `columns` of a table; `key` and `value` of a key_value; `role` of
   * what is not part of the text itself: `page_header`, `page_footer` (lines that run over four pages or more), `footnote`.
   */
  metadata: Readonly<Record<string, string | number | boolean>>;
}

/** How the text of a page was found. */
export type PageSource = 'text_layer' | 'ocr' | 'document';

/** The structure of one page. Formats without pages (DOCX, TXT, MD) have the pages that their reader divides them into. */
export interface PageContent {
  /** From 1. */
  pageNumber: number;
  source: PageSource;
  /** ISO 639-1 of the page's text; null where there is too little of it to tell. */
  language?: string | null;
  elements: readonly PageElement[];
}
