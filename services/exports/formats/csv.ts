import type { RowValues } from '../../../db/stream-rows.ts';
import { MAX_EXPORTED_RECORDS } from '../../../domain/limits.ts';
import type { Column, TextLayout } from '../table.ts';
import { textFormat } from '../write-parts.ts';

export const csv = textFormat({
  maxRecords: { files: 100_000, descriptions: MAX_EXPORTED_RECORDS },
  file: { contentType: 'text/csv; charset=utf-8', extension: 'csv' },
  layout: csvLayout,
});

/** Characters that begin a formula in spreadsheets, also in their full-width forms. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
const QUOTED = /[",\r\n]/;

/**
 * Lines by RFC 4180, quoted only if necessary. A text that a spreadsheet would read as a formula gets an apostrophe
 * prefix; an empty text is an empty cell.
 */
export function csvLayout(columns: readonly Column[]): TextLayout {
  const isText = columns.map(({ type }) => type !== 'number');
  const row = (values: RowValues): string => {
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at];
      if (value && isText[at]) values[at] = cellOf(value);
    }
    // `join` writes null as an empty string.
    return `${values.join(',')}\r\n`;
  };
  const header = columns.map(({ name }) => cellOf(name)).join(',');
  return { head: `${header}\r\n`, between: '', tail: '', row };
}

function cellOf(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
