import { createHash } from 'node:crypto';
import { joinSql, sql, type Sql } from '../shared/sql.ts';
import { invalidField, type AppError } from '../../domain/app-error.ts';
import { isStorable } from '../../domain/text.ts';

export const FILE_SORTS = ['created_at', 'content_created_at', 'title', 'size_bytes'] as const;
export type FileSort = (typeof FILE_SORTS)[number];
export type SortOrder = 'asc' | 'desc';

/** A total order, so that pages neither repeat nor miss a file; `id` is the last of the keys. */
export interface FileOrder {
  keys: { expression: Sql; type: 'timestamptz' | 'bigint' | 'text' | 'numeric' | 'uuid' }[];
  order: SortOrder;
}

const ID: FileOrder['keys'][number] = { expression: sql`id`, type: 'uuid' };
const NEWEST: FileOrder['keys'] = [{ expression: sql`created_at`, type: 'timestamptz' }, ID];

/** The expressions must match those of the indexes exactly. Files without a content date come last. */
export function orderBy(sort: FileSort, order: SortOrder): FileOrder {
  return { keys: sort === 'created_at' ? NEWEST : [key(sort, order), ID], order };
}

/** Best first, ties by newest. `score` is the name of a column. */
export const BY_RELEVANCE: FileOrder = {
  keys: [{ expression: sql`score`, type: 'numeric' }, ...NEWEST],
  order: 'desc',
};

function key(sort: Exclude<FileSort, 'created_at'>, order: SortOrder): FileOrder['keys'][number] {
  switch (sort) {
    case 'content_created_at': {
      const expression =
        order === 'desc'
          ? sql`coalesce(content_created_at, '-infinity'::timestamptz)`
          : sql`coalesce(content_created_at, 'infinity'::timestamptz)`;
      return { expression, type: 'timestamptz' };
    }
    case 'title':
      return { expression: sql`lower(coalesce(title, filename))`, type: 'text' };
    case 'size_bytes':
      return { expression: sql`size_bytes`, type: 'bigint' };
  }
}

export function orderSql({ keys, order }: FileOrder): Sql {
  const direction = order === 'asc' ? sql` asc` : sql` desc`;
  return joinSql(
    keys.map(({ expression }): Sql => sql`${expression}${direction}`),
    ',',
  );
}

/** The rows after a position. One row comparison, so that an index scan starts there. */
export function afterSql(order: FileOrder, place: readonly string[]): Sql {
  return comparedSql(order, order.order === 'asc' ? sql` > ` : sql` < `, place);
}

/** The rows up to a position, inclusive: an index scan ends there. */
export function upToSql(order: FileOrder, place: readonly string[]): Sql {
  return comparedSql(order, order.order === 'asc' ? sql` <= ` : sql` >= `, place);
}

function comparedSql({ keys }: FileOrder, comparison: Sql, place: readonly string[]): Sql {
  const expressions = keys.map(({ expression }) => expression);
  const values = keys.map(({ type }, i): Sql => sql`cast(${place[i] ?? ''} as ${TYPES[type]})`);
  return sql`(${joinSql(expressions, ',')})${comparison}(${joinSql(values, ',')})`;
}

/** The position of a row in the order, as lossless text. */
export function placeSql({ keys }: FileOrder): Sql {
  return sql`array[${joinSql(
    keys.map(({ expression }): Sql => sql`${expression}::text`),
    ',',
  )}]`;
}

const TYPES: Record<FileOrder['keys'][number]['type'], Sql> = {
  timestamptz: sql`timestamptz`,
  bigint: sql`bigint`,
  text: sql`text`,
  numeric: sql`numeric`,
  uuid: sql`uuid`,
};

/** Whether a text is a valid value of the type: the database rejects others with an error. */
const IS: Record<FileOrder['keys'][number]['type'], (value: string) => boolean> = {
  timestamptz: isTimestamp,
  bigint: (value) => /^\d{1,15}$/.test(value),
  numeric: (value) => /^\d{1,3}(\.\d{1,3})?$/.test(value),
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  text: (value) => isStorable(value) && value.length <= 1000,
};

/** An opaque token for a position in a list; `list` has all parameters that identify the list. */
export function writeCursor(list: unknown, place: readonly string[]): string {
  return Buffer.from(JSON.stringify([fingerprint(list), ...place])).toString('base64url');
}

/** @throws AppError VALIDATION_FAILED for a malformed cursor, and for one of another list */
export function readCursor(cursor: string, list: unknown, { keys }: FileOrder): string[] {
  const [of, ...place] = parse(cursor);
  if (of === undefined || (of === fingerprint(list) && place.length !== keys.length)) {
    throw refuse('is no cursor of this API');
  }
  if (of !== fingerprint(list)) throw refuse('belongs to a list with other filters or another order');
  if (!keys.every(({ type }, i) => IS[type](place[i] ?? ''))) throw refuse('is no cursor of this API');
  return place;
}

function parse(cursor: string): string[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : [];
  } catch {
    return [];
  }
}

function fingerprint(list: unknown): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 12);
}

function refuse(message: string): AppError {
  return invalidField('/query/cursor', message);
}

/** As Postgres writes them in UTC: `2026-01-02 03:04:05.678+00`. */
function isTimestamp(value: string): boolean {
  if (value === 'infinity' || value === '-infinity') return true;
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d{1,6})?\+00$/.exec(value) ?? [];
  const date = new Date(`${day}T${time}Z`);
  return (
    !Number.isNaN(date.getTime()) &&
    date.getUTCFullYear() > 0 &&
    date.toISOString().startsWith(`${day}T${time}`)
  );
}
