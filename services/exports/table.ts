import type { RowValues } from '../../db/stream-rows.ts';
import type { ExportCursor } from '../../domain/exports/export.ts';

/** A column of an export. */
export interface Column {
  name: string;
  /** `number` and `json` are values as JSON has them; `text` is any text. */
  type: 'text' | 'number' | 'json';
  /** In a nested format the member that this one belongs to. Such columns are the last ones. */
  within?: string;
}

/** How a format writes rows as text. */
export interface TextLayout {
  /** Before the first row, between two rows, and after the last row. */
  head: string;
  between: string;
  tail: string;
  /** May change the values. */
  row: (values: RowValues) => string;
}

/** Some rows as text, in the order of the export. */
export interface TextPage {
  text: Buffer;
  records: number;
  /** Where the rows after it begin; undefined where there are none. */
  cursor: ExportCursor | undefined;
}

/** The rows of an export, of which any page can be read again. */
export interface Table {
  /** Of a spreadsheet, and the name of its sheet. */
  title: string;
  sheetName: string;
  columns: readonly Column[];
  /** How many rows there are, at most as many as are wanted. */
  count(): Promise<number>;
  /** The rows after a place, before which so many are written already. */
  pages(
    layout: Pick<TextLayout, 'row' | 'between'>,
    from: { after: ExportCursor | undefined; written: number; pageBytes: number },
  ): AsyncIterable<TextPage>;
}

/** Rows that a format needs as values wait as JSON: as values they are some times as large. */
export const VALUES: Pick<TextLayout, 'row' | 'between'> = {
  row: (values) => JSON.stringify(values),
  between: ',',
};

/** The rows of a page that was read as `VALUES`. */
export function valuesOf({ text }: Pick<TextPage, 'text'>): RowValues[] {
  return JSON.parse(`[${text.toString()}]`) as RowValues[];
}

/** The aim for a page of which more is made, as values or as XML that waits to be compressed. */
export const SMALL_PAGE_BYTES = 1024 * 1024;
