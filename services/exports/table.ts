import type { EntityManager } from '@mikro-orm/postgresql';
import { type RowValues, streamRows } from '../../db/stream-rows.ts';
import type { ExportCursor } from '../../domain/exports/export.ts';
import type { Sql } from '../shared/sql.ts';

/** A column of an export. */
export interface Column {
  name: string;
  /** `number` and `json` are JSON values; `text` is any text. */
  type: 'text' | 'number' | 'json';
  /** The parent member in a nested format. Such columns come last. */
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
  /** Where the rows after it begin; undefined for the last page. */
  cursor: ExportCursor | undefined;
}

/** The rows of an export; any page can be read again. */
export interface Table {
  /** The title of a spreadsheet and the name of its sheet. */
  title: string;
  sheetName: string;
  columns: readonly Column[];
  /** The number of rows, up to a maximum. */
  count(): Promise<number>;
  /** The rows after a place; `written` rows precede it. */
  pages(
    layout: Pick<TextLayout, 'row' | 'between'>,
    from: { after: ExportCursor | undefined; written: number; pageBytes: number },
  ): AsyncIterable<TextPage>;
}

/** Rows that a format needs as values are buffered as JSON: as values they take several times the memory. */
export const VALUES: Pick<TextLayout, 'row' | 'between'> = {
  row: (values) => JSON.stringify(values),
  between: ',',
};

/** The rows of a page that was read as `VALUES`. */
export function valuesOf({ text }: Pick<TextPage, 'text'>): RowValues[] {
  return JSON.parse(`[${text.toString()}]`) as RowValues[];
}

/** Target size of a page that is expanded further, into values or into XML to be compressed. */
export const SMALL_PAGE_BYTES = 1024 * 1024;

/** Enough for most pages, since growing a buffer copies it. Pages that are not written to take no memory. */
const FIRST_BYTES = 4 * 1024 * 1024;
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_BYTES_OF_UNIT = 3;

/** The text of several rows exceeds its limit. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong';
}

/** The text of some rows. */
export type RowsText = Omit<TextPage, 'cursor'>;

/**
 * The rows of a query as one text. Each row is written as it arrives, so that no values are kept.
 *
 * @param maxBytes limit of the text; a single row may have any length
 * @throws DriverException, TextTooLong
 */
export async function readText(
  em: EntityManager,
  query: Sql,
  { row, between }: { row: (values: RowValues) => string; between: TextLayout['between'] },
  maxBytes = Infinity,
): Promise<RowsText> {
  let text = Buffer.allocUnsafe(FIRST_BYTES);
  let length = 0;
  let records = 0;
  await streamRows(em, query, (values) => {
    const added = records > 0 ? between + row(values) : row(values);
    const most = length + MAX_BYTES_OF_UNIT * added.length;
    if (most > text.length) text = Buffer.concat([text.subarray(0, length)], Math.max(most, 2 * text.length));
    length += text.write(added, length);
    if (records > 0 && length > maxBytes) throw new TextTooLong(`more than ${maxBytes} bytes`);
    records += 1;
  });
  return { text: text.subarray(0, length), records };
}
