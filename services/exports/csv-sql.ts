import { sql, type Sql } from '../shared/sql.ts';

/** Lines as COPY writes them, by RFC 4180. */
export const CSV = { format: 'csv', between: '', end: '\r\n' } as const;

/**
 * A text as COPY should write it into a CSV file: one that a spreadsheet would take for a formula gets an apostrophe, and
 * an empty one is nothing, not a pair of quotes.
 */
export function csvTextSql(text: Sql): Sql {
  // Tab, CR, + - = @, and the full-width + - = @
  return sql`case when ascii(${text}) in (9, 13, 43, 45, 61, 64, 65291, 65293, 65309, 65312)
    then '''' || ${text} else nullif(${text}, '') end`;
}
