import { raw, type RawQueryFragment } from '@mikro-orm/core';

/** A fragment of SQL with its values, composable into larger ones. */
export type Sql = RawQueryFragment;

/**
 * SQL with values, which are always quoted, and with other fragments. Unlike MikroORM's tag it accepts adjacent
 * fragments: two single `?` would become a `??` there, which quotes a name.
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

/** Joins fragments with a separator. */
export function joinSql(parts: readonly Sql[], between: 'and' | 'or' | 'union' | ','): Sql {
  return raw<Sql>(
    parts.map((part) => part.sql).join(` ${between} `),
    parts.flatMap((part) => part.params),
  );
}
