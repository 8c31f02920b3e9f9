import { stringify } from 'csv-stringify/sync';

/** Texts as a line of a CSV file by RFC 4180. One that a spreadsheet would take for a formula gets an apostrophe. */
export function csvLine(cells: readonly string[]): string {
  return stringify(
    [[...cells]],
    // Alone, only the delimiter of records would make it quote.
    { record_delimiter: 'windows', escape_formulas: true, quoted_match: /[\r\n]/ },
  );
}
