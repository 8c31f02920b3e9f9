import { joinSql, sql, type Sql } from '../shared/sql.ts';

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

/** The rows after a position. One row comparison, so that an index scan starts right there. */
export function afterSql(order: FileOrder, place: readonly string[]): Sql {
  return comparedSql(order, order.order === 'asc' ? sql` > ` : sql` < `, place);
}

/** The rows up to a position, and the one at it: an index scan ends right there. */
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
