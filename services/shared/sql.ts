import { raw, type RawQueryFragment } from '@mikro-orm/core';

/** A piece of SQL with its values, to be put into larger pieces. */
export type Sql = RawQueryFragment;

/**
 * SQL with values, which are always quoted, and with other pieces. Unlike the tag of MikroORM it takes pieces side by
 * side: two that each are a single `?` would read as a `??` there, which quotes a name.
 */
export function sql(texts: TemplateStringsArray, ...values: (Sql | string | number | boolean)[]): Sql {
  let text = texts[0] ?? '';
  const params: unknown[] = [];
  for (const [i, value] of values.entries()) {
    text += typeof value === 'object' ? value.sql : '?';
    params.push(...(typeof value === 'object' ? value.params : [value]));
    text += texts[i + 1] ?? '';
  }
  return raw<Sql>(text, params);
}

/** Pieces with a word between them. */
export function joinSql(parts: readonly Sql[], between: 'and' | 'or' | 'union' | ','): Sql {
  return raw<Sql>(
    parts.map((part) => part.sql).join(` ${between} `),
    parts.flatMap((part) => part.params),
  );
}
