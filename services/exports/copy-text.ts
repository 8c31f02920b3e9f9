import type { EntityManager } from '@mikro-orm/postgresql';
import { copyOut } from '../../db/copy-out.ts';
import type { Sql } from '../shared/sql.ts';

const FIRST_BYTES = 64 * 1024;

/** How rows become text. */
export interface TextShape {
  format: 'csv' | 'text';
  /** Between two rows, and after each. */
  between: string;
  end: string;
}

/** The text of several records is longer than it may be. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong';
}

/** The text of some records. */
export interface CopiedText {
  text: Buffer;
  records: number;
}

/**
 * What Postgres writes for a query, as one text.
 *
 * @param maxBytes it is left before it is longer, but for one record, which may have any length
 * @throws DriverException, TextTooLong
 */
export async function copyText(
  em: EntityManager,
  query: Sql,
  { format, ...shape }: TextShape,
  maxBytes = Infinity,
): Promise<CopiedText> {
  const [between, end] = [Buffer.from(shape.between), Buffer.from(shape.end)];
  let text = Buffer.allocUnsafe(FIRST_BYTES);
  let length = 0;
  let records = 0;
  const add = (bytes: Uint8Array): void => {
    text.set(bytes, length);
    length += bytes.length;
  };
  await copyOut(em, query, format, (row) => {
    const needed = length + between.length + row.length + end.length;
    if (records > 0 && needed > maxBytes) throw new TextTooLong(`more than ${maxBytes} bytes`);
    if (needed > text.length)
      text = Buffer.concat([text.subarray(0, length)], Math.max(needed, 2 * text.length));
    if (records > 0) add(between);
    add(row);
    add(end);
    records += 1;
  });
  return { text: text.subarray(0, length), records };
}
