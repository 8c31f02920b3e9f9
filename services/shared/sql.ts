import { raw, type RawQueryFragment } from '@mikro-orm/core';
import { hash } from 'node:crypto';
import { isStorable } from '../../domain/text.ts';

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

/** Values between commas, for `in (…)` and `array[…]`. */
export function sqlList(values: readonly string[]): Sql {
  return joinSql(
    values.map((value) => sql`${value}`),
    ',',
  );
}

/** Sorts before every id. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether client input may be compared with an id column: Postgres rejects anything else with an error. Accepts any
 * version and either case; rows store lower case.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The UUIDv5 namespace of these ids. */
const NAMESPACE = Buffer.from('e0f0a6ec8f2b4f539d0b6c1f6f1b7a10', 'hex');

/** The UUIDv5 of a name; deterministic. */
export function nameUuid(name: string): string {
  const hex = hash('sha1', Buffer.concat([NAMESPACE, Buffer.from(name)]));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Removes characters that Postgres cannot store from a value's texts: NUL and unpaired surrogates. */
export function storable<T>(value: T): T {
  if (typeof value === 'string') return (isStorable(value) ? value : clean(value)) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => storable(entry)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [storable(key), storable(entry)]),
  ) as T;
}

/** Whole milliseconds for an integer column, which holds 24 days: work that waited for longer must still end. */
export function storableMs(ms: number): number {
  return Math.round(Math.min(ms, 2 ** 31 - 1));
}

function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
