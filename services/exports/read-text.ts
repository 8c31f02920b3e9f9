import type { EntityManager } from '@mikro-orm/postgresql';
import { streamRows, type RowValues } from '../../db/stream-rows.ts';
import type { Sql } from '../shared/sql.ts';
import type { TextLayout, TextPage } from './table.ts';

/** Enough for most pages, since a buffer that grows is copied. What is not written to takes no memory. */
const FIRST_BYTES = 4 * 1024 * 1024;
/** A UTF-16 unit has no more bytes than these in UTF-8. */
const MAX_BYTES_OF_UNIT = 3;

/** The text of several rows is longer than it may be. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong';
}

/** The text of some rows. */
export type RowsText = Omit<TextPage, 'cursor'>;

/**
 * The rows of a query as one text. Each is written as it arrives, so that no values are kept.
 *
 * @param maxBytes it is left before it is longer, but for one row, which may have any length
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
