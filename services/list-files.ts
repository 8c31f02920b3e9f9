import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { FileTally } from '../db/entities/file-tally.ts';
import { StoredFile } from '../db/entities/stored-file.ts';
import { filterSql, isUnfiltered } from './file-filter.ts';
import type { FileFilter } from './file-filter.ts';
import { fileMatch } from './file-match.ts';
import type { FileMatch, SearchMode } from './file-match.ts';
import { afterSql, BY_RELEVANCE, orderBy, orderSql, placeSql } from './file-order.ts';
import type { FileOrder, FileSort, SortOrder } from './file-order.ts';
import { readCursor, writeCursor } from './list-cursor.ts';
import { joinSql, sql } from './sql.ts';
import type { Sql } from './sql.ts';

export interface FileListQuery {
  filter: FileFilter;
  search?: string | undefined;
  searchMode: SearchMode;
  /** Absent: by relevance where there is a search, else by `created_at`. */
  sortBy?: FileSort | undefined;
  sortOrder: SortOrder;
  limit: number;
  offset: number;
  /** Of the page before; goes on right after it, whatever was added since. */
  cursor?: string | undefined;
}

export interface FilePage {
  files: StoredFile[];
  totalCount: number;
  hasMore: boolean;
  /** Null on the last page. */
  nextCursor: string | null;
}

/**
 * How many of the newest hits of each place are looked at to find the best. A word that half of all files have would
 * otherwise make each search as slow as the account is large.
 */
const RANKED = 500;

/** One page of a tenant's files, and how many there are in all, in one query each. */
export async function listFiles(
  em: EntityManager,
  tenantId: string,
  query: FileListQuery,
): Promise<FilePage> {
  const { filter, search, searchMode, sortBy, sortOrder, limit } = query;
  const match = search === undefined ? undefined : fileMatch(search, searchMode);
  const list = [filter, search, searchMode, sortBy, sortOrder];
  const order = search !== undefined && !sortBy ? BY_RELEVANCE : orderBy(sortBy ?? 'created_at', sortOrder);
  const place = query.cursor === undefined ? undefined : readCursor(query.cursor, list, order);
  if (search !== undefined && !match) return { files: [], totalCount: 0, hasMore: false, nextCursor: null };

  const [rows, totalCount] = await Promise.all([
    em.execute<Row[]>(pageSql(em, { ...query, tenantId, match, order, place })),
    countFiles(em, tenantId, filter, match),
  ]);
  const page = rows.slice(0, limit);
  const files = page.map(({ place: _, ...row }) => em.map(StoredFile, row));
  const hasMore = rows.length > limit;
  const last = page.at(-1);
  return { files, totalCount, hasMore, nextCursor: hasMore && last ? writeCursor(list, last.place) : null };
}

type Row = Record<string, unknown> & { place: string[] };

interface PageRequest {
  tenantId: string;
  filter: FileFilter;
  match?: FileMatch | undefined;
  order: FileOrder;
  place?: readonly string[] | undefined;
  limit: number;
  offset: number;
}

/** The rows of a page and one more, which tells whether another page follows. */
export function pageSql(em: EntityManager, request: PageRequest): Sql {
  const { tenantId, filter, match, order, place, limit, offset } = request;
  const among = filterSql(tenantId, filter);
  const columns = fileColumns(em);
  const window = sql`order by ${orderSql(order)} limit ${limit + 1} offset ${offset}`;
  const beyond: Sql = place ? sql` and ${afterSql(order, place)}` : sql``;
  if (!match) {
    return sql`select ${columns}, ${placeSql(order)} as place from files where ${among}${beyond} ${window}`;
  }
  const { exact, places, similar, score, likeness } = match;
  if (order === BY_RELEVANCE) {
    const best = (found: Sql, by: Sql): Sql =>
      sql`(select id from files where ${among} and ${found} order by ${by} limit ${RANKED})`;
    const newest = sql`created_at desc, id desc`;
    const hits = joinSql(
      places.map((found) => best(found, newest)),
      'union',
    );
    const guesses: Sql = similar
      ? sql`select id, ${likeness} as score from (${best(similar, sql`${likeness} desc, ${newest}`)}) as alike join files using (id)
          where not exists (select from hits)`
      : sql`select null::uuid, 0::numeric where false`;
    return sql`with hits as materialized (${hits}),
      scored as (select id, ${score} as score from hits join files using (id) union all ${guesses})
      select ${columns}, ${placeSql(order)} as place from scored join files using (id)
      where true${beyond} ${window}`;
  }
  const found = (condition: Sql): Sql =>
    sql`select ${columns}, ${placeSql(order)} as place from files where ${among} and ${condition}${beyond} ${window}`;
  return similar
    ? sql`(${found(exact)}) union all (${found(sql`${similar} and not exists ${any(among, exact)}`)})`
    : found(exact);
}

/** How many files a list has: kept where it has no filter, counted where it has one. */
async function countFiles(
  em: EntityManager,
  tenantId: string,
  filter: FileFilter,
  match: FileMatch | undefined,
): Promise<number> {
  if (!match && isUnfiltered(filter)) {
    const tally = await em.findOne(FileTally, tenantId);
    return (filter.deleted ? tally?.trash : tally?.live) ?? 0;
  }
  const [row] = await em.execute<{ count: string }[]>(countSql(tenantId, filter, match));
  return Number(row?.count);
}

/** Counts what pageSql pages through. */
export function countSql(tenantId: string, filter: FileFilter, match: FileMatch | undefined): Sql {
  const among = filterSql(tenantId, filter);
  const count = (condition: Sql): Sql => sql`(select count(*) from files where ${among}${condition})`;
  if (!match) return count(sql``);
  const exact = count(sql` and ${match.exact}`);
  if (!match.similar) return exact;
  const similar = count(sql` and ${match.similar}`);
  return sql`with found as materialized ${exact}
    select case when count > 0 then count else ${similar} end as count from found`;
}

/** Whether there is one at all, by the index of the newest: without an order Postgres may think of the whole table. */
function any(among: Sql, condition: Sql): Sql {
  return sql`(select from files where ${among} and ${condition} order by created_at desc, id desc limit 1)`;
}

/** What the entity has; the words for the search stay in the database. */
function fileColumns(em: EntityManager): Sql {
  const { props } = em.getMetadata().get(StoredFile);
  return raw<Sql>(props.flatMap(({ fieldNames }) => fieldNames.map((name) => `files."${name}"`)).join(', '));
}
