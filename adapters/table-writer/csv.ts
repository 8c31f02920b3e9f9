import { stringify } from 'csv-stringify/sync';
import type { Cell } from '../../domain/exports/cell.ts';

/** Rows as lines of a CSV file by RFC 4180. Text that a spreadsheet would take for a formula gets an apostrophe. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    // Alone, only the delimiter of records would make it quote.
    { record_delimiter: 'windows', escape_formulas: true, quoted_match: /[\r\n]/ },
  );
}
