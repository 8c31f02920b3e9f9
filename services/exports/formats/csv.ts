import type { RowValues } from '../../../db/stream-rows.ts';
import { MAX_EXPORTED_RECORDS } from '../../../domain/limits.ts';
import type { Column, TextLayout } from '../table.ts';
import { textFormat } from '../write-parts.ts';

export const csv = textFormat({
  maxRecords: { files: 100_000, descriptions: MAX_EXPORTED_RECORDS },
  file: { contentType: 'text/csv; charset=utf-8', extension: 'csv' },
  layout: csvLayout,
});

/** Begins a cell that a spreadsheet may read as a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
/**
 * Ends what comes before such a cell in a spreadsheet that splits at `;` or tab, up to the formula. To that one, our quotes
 * are characters inside a cell and protect nothing.
 */
const INNER_FORMULA = /[;\t\r\n]"*(?=[=+\-@＝＋－＠])/g;
const QUOTED = /[",\r\n]/;
/** Needs neither an apostrophe nor quotes, as most cells: one look instead of three. */
const PLAIN = /^[^=+\-@＝＋－＠;",\t\r\n][^;",\t\r\n]*$/;

/**
 * Lines by RFC 4180, quoted only if necessary. What a spreadsheet could read as a formula gets an apostrophe
 * before it; an empty text is an empty cell.
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
  if (PLAIN.test(text)) return text;
  const inside = text.replaceAll(INNER_FORMULA, "$&'");
  const harmless = FORMULA.test(text) ? `'${inside}` : inside;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
