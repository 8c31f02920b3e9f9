import { MAX_CELL_LENGTH } from '../../../domain/exports/cell.ts';
import { concatSql, sql, type Sql } from '../../shared/sql.ts';

/** Control characters but tab and LF, and what XML 1.0 cannot hold. */
const NOT_IN_XML = sql`'[\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]'`;

/**
 * Whether all of these texts are plain for certain, found several times as fast as by a regular expression: the parser of
 * JSON refuses control characters. It also refuses quotes, so some plain texts are taken for others.
 */
export function arePlainSql(texts: readonly Sql[]): Sql {
  if (texts.length === 0) return sql`true`;
  const quote = sql`'"'`;
  const all = concatSql([quote, ...texts, quote]);
  return sql`octet_length(${all}) <= ${MAX_CELL_LENGTH} and ${all} is json
    and strpos(${all}, U&'\\FFFE') = 0 and strpos(${all}, U&'\\FFFF') = 0`;
}

/**
 * A text as every format can hold it, as `plainText` makes it: lines end in LF, and it is no longer than a cell, of which
 * a character beyond 16 bits takes two.
 */
export function plainSql(text: Sql): Sql {
  const plain = sql`regexp_replace(regexp_replace(${text}, '\\r\\n|\\r', E'\\n', 'g'), ${NOT_IN_XML}, '', 'g')`;
  const cut = sql`left(${plain}, ${MAX_CELL_LENGTH})`;
  // Such a character is marked by one that no text has any more, so that it counts twice; without its mark, it was cut.
  const marked = sql`left(regexp_replace(${cut}, '([^\\u0001-\\uffff])', E'\\\\1\\x01', 'g'), ${MAX_CELL_LENGTH})`;
  return sql`replace(regexp_replace(${marked}, '[^\\u0001-\\uffff]$', ''), E'\\x01', '')`;
}
