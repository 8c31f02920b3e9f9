import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { FileTally } from '../../db/entities/files/file-tally.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import {
  filterSql,
  isUnfiltered,
  type FileFilter,
  fileMatch,
  type FileMatch,
  type SearchMode,
} from './file-filter.ts';
import {
  afterSql,
  BY_RELEVANCE,
  orderBy,
  orderSql,
  placeSql,
  type FileOrder,
  type FileSort,
  type SortOrder,
  readCursor,
  writeCursor,
} from './file-order.ts';
import { SearchDeadline } from './search-deadline.ts';
import { plainRow } from '../shared/plain-row.ts';
import { joinSql, sql, type Sql } from '../shared/sql.ts';

export interface FileListQuery {
  filter: FileFilter;
  search?: string | undefined;
  searchMode: SearchMode;
  /** Default: by relevance if there is a search, else by `created_at`. */
  sortBy?: FileSort | undefined;
  sortOrder: SortOrder;
  limit: number;
  offset: number;
  /** From the previous page; continues right after it, regardless of additions since. */
  cursor?: string | undefined;
  /** Time limit of a search. */
  searchTimeoutMs: number;
}

export interface FilePage {
  files: StoredFile[];
  totalCount: number;
  hasMore: boolean;
  /** Null on the last page. */
  nextCursor: string | null;
}

/**
 * Newest hits of each field that are scored. Without a limit, a word contained in half of all files would make every
 * search as slow as the account is large.
 */
const RANKED = 500;
/** The count of a search stops here. */
const COUNTED = 10_000;

/**
 * One page of a tenant's files and the total count, in one query each.
 *
 * @throws AppError SEARCH_TIMEOUT
 */
export async function listFiles(
  em: EntityManager,
  tenantId: string,
  query: FileListQuery,
): Promise<FilePage> {
  const { filter, search, searchMode, sortBy, sortOrder, limit } = query;
  const match = search === undefined ? undefined : fileMatch(search, searchMode);
  // A cursor stays valid when folders are added to the selection.
  const list = [{ ...filter, folders: filter.folders?.selection }, search, searchMode, sortBy, sortOrder];
  const order = search !== undefined && !sortBy ? BY_RELEVANCE : orderBy(sortBy ?? 'created_at', sortOrder);
  const place = query.cursor === undefined ? undefined : readCursor(query.cursor, list, order);
  if (search !== undefined && !match) return { files: [], totalCount: 0, hasMore: false, nextCursor: null };

  const readPage = (from: EntityManager) =>
    from.execute<Row[]>(pageSql(from, { ...query, tenantId, match, order, place }));
  const count = (from: EntityManager) => countFiles(from, tenantId, filter, match);
  const deadline = new SearchDeadline(query.searchTimeoutMs);
  const [rows, totalCount] = await (match
    ? Promise.all([deadline.read(em, readPage), deadline.read(em, count)])
    : Promise.all([readPage(em), count(em)]));
  const page = rows.slice(0, limit).map(({ place, ...row }) => ({ place, row }));
  const files = page.map(({ row }) => plainRow(em, StoredFile, row));
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

/** The rows of a page, plus one that shows whether another page follows. */
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
    const best = (found: Sql) =>
      sql`(select id from files where ${among} and ${found} order by created_at desc, id desc limit ${RANKED})`;
    const hits = joinSql(places.map(best), 'union');
    // `offset 0` forces a lookup per row: a single join might read the whole table for a few hundred rows.
    const guesses = similar
      ? sql`select id, created_at, score from (${best(similar)}) as alike
          cross join lateral (select created_at, ${likeness} as score from files where files.id = alike.id offset 0) as candidate
          where not exists (select from hits)`
      : sql`select null::uuid, null::timestamptz, 0::numeric where false`;
    return sql`with hits as materialized (${hits}),
      scored as (
        select id, created_at, score from hits
        cross join lateral (select created_at, ${score} as score from files where files.id = hits.id offset 0) as candidate
        union all ${guesses}
      ),
      page as materialized (select id, score, ${placeSql(order)} as place from scored where true${beyond} ${window})
      select page.place, found.* from page
      cross join lateral (select ${columns} from files where files.id = page.id offset 0) as found
      order by page.score desc, found.created_at desc, found.id desc`;
  }
  const found = (condition: Sql): Sql =>
    sql`select ${columns}, ${placeSql(order)} as place from files where ${among} and ${condition}${beyond} ${window}`;
  return similar
    ? sql`(${found(exact)}) union all (${found(sql`${similar} and ${none(among, exact)}`)})`
    : found(exact);
}

/** The total of a list: from the tally if unfiltered, counted otherwise. */
async function countFiles(
  em: EntityManager,
  tenantId: string,
  filter: FileFilter,
  match: FileMatch | undefined,
): Promise<number> {
  if (!match && isUnfiltered(filter)) {
    const tally = await em.findOne(FileTally, tenantId);
    if (!filter.deleted) return tally?.live ?? 0;
    const [claimed] = await em.execute<{ count: string }[]>(
      `select count(*) from file_removals join files on files.id = file_id
       where began_at is not null and tenant_id = ? and deleted_at is not null`,
      [tenantId],
    );
    return (tally?.trash ?? 0) - Number(claimed?.count);
  }
  const [row] = await em.execute<{ count: string }[]>(countSql(tenantId, filter, match));
  return Number(row?.count);
}

/** Counts what pageSql pages through; search hits only up to a bound, since each must be checked. */
export function countSql(tenantId: string, filter: FileFilter, match: FileMatch | undefined): Sql {
  const among = filterSql(tenantId, filter);
  if (!match) return sql`select count(*) from files where ${among}`;
  const count = (condition: Sql) => sql`(select count(*) from (
    select from files where ${among} and ${condition} order by created_at desc, id desc limit ${COUNTED}) as counted)`;
  const exact = count(match.exact);
  if (!match.similar) return exact;
  return sql`with found as materialized ${exact}
    select case when count > 0 then count else ${count(match.similar)} end as count from found`;
}

/** Whether nothing matches. Not by `exists`, which drops the order and with it the index scan. */
function none(among: Sql, condition: Sql): Sql {
  return sql`(select true from files where ${among} and ${condition} order by created_at desc, id desc limit 1) is null`;
}

/** The columns of the entity, without the search columns. */
function fileColumns(em: EntityManager): Sql {
  const { props } = em.getMetadata().get(StoredFile);
  return raw<Sql>(props.flatMap(({ fieldNames }) => fieldNames.map((name) => `files."${name}"`)).join(', '));
}
