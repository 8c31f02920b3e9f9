import { raw } from '@mikro-orm/core';
import { searchTerms, toleratesTypos } from '../../domain/search.ts';
import { joinSql, sql, sqlList, type Sql } from '../shared/sql.ts';
import type { ComplianceStatus } from '../../domain/compliance/compliance.ts';
import type { MediaType } from '../../domain/media.ts';
import type { FailureKind } from '../../domain/failure-kind.ts';
import type { PrimaryStatus } from '../../domain/primary-status.ts';
import { failureKindSql } from './failure-kind-sql.ts';
import { uuidArray } from './folders/read-folders.ts';
import type { FolderScope } from './folders/resolve-scope.ts';

export const SEARCH_MODES = ['all', 'metadata', 'visible_text'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** A search on `files`, as conditions and scores. */
export interface FileMatch {
  /** Every word matches: by stem in the searched texts, or as a substring in title, file name and tags. */
  exact: Sql;
  /** The same as separate conditions, best field first, each served by the index on its own. */
  places: Sql[];
  /** Fuzzy match on title, file name or tags; used when there is no exact match. */
  similar: Sql | undefined;
  /** Ranked by field first (title and tags, parts of names, description, visible text), then by frequency. */
  score: Sql;
  /** Similarity of a fuzzy match, below any score of an exact match. */
  likeness: Sql;
}

/** @returns undefined when the search has no words, so nothing can match */
export function fileMatch(search: string, mode: SearchMode): FileMatch | undefined {
  const terms = searchTerms(search);
  if (terms.length === 0) return undefined;
  const query = terms
    .map((term) => sql`phraseto_tsquery('english', search_fold(${term}))`)
    .reduce((all, term) => sql`${all} && ${term}`);
  const words = sql`(${query})`;

  if (mode === 'visible_text') {
    const exact = sql`search_visible @@ ${words}`;
    const score = sql`${rank(sql`search_visible`, words)}`;
    return { exact, places: [exact], similar: undefined, score, likeness: sql`0` };
  }
  const named = sql`(${joinSql(terms.map(partOfName), 'and')})`;
  const metadata = sql`search_metadata @@ ${words}`;
  const all = sql`search_all @@ ${words}`;
  const text = mode === 'all' ? all : metadata;
  const folded = sql`search_fold(${search})`;
  const titled = sql`search_fold(coalesce(title, filename)) = ${folded}`;
  const score = sql`(case
    when ${titled} then 5
    when ts_filter(search_metadata, '{a}') @@ ${words} then 4
    when ${named} then 3
    when ${metadata} then 2
    else 1 end) + ${rank(mode === 'all' ? sql`search_all` : sql`search_metadata`, words)}`;
  return {
    exact: sql`(${text} or ${named})`,
    places: mode === 'all' ? [named, metadata, all] : [named, metadata],
    similar: toleratesTypos(search) ? sql`search_names %> ${folded}` : undefined,
    score,
    likeness: sql`round(word_similarity(${folded}, search_names)::numeric, 2)`,
  };
}

/**
 * Matches a word anywhere in the names; words too short for a trigram only at the beginning of a word, which the index
 * supports. Folded text has no wildcards.
 */
function partOfName(term: string): Sql {
  const anywhere = [...term].length >= 3;
  return anywhere
    ? sql`search_names like '%' || search_fold(${term}) || '%'`
    : sql`search_names like '% ' || search_fold(${term}) || '%'`;
}

/** Below 1, and coarse, so that near ties are equal and the newest comes first. */
function rank(vector: Sql, words: Sql): Sql {
  return sql`round(ts_rank(array[0.05, 0.2, 0.5, 1], ${vector}, ${words}, 32)::numeric, 2)`;
}

/** Selects the files of a list. Absent fields filter nothing; any empty list selects no files. */
export interface FileFilter {
  /** True lists the trash instead of live files, without files that are being removed for good. */
  deleted: boolean;
  /** Files with all of these tags. */
  tags?: string[] | undefined;
  /** Files of any of these media. */
  mediaTypes?: MediaType[] | undefined;
  /** Files in any of these statuses. */
  statuses?: PrimaryStatus[] | undefined;
  /** Failed files of any of these kinds. */
  failureKinds?: FailureKind[] | undefined;
  hasDescription?: boolean | undefined;
  ids?: string[] | undefined;
  complianceStatus?: ComplianceStatus | undefined;
  /** Parts of this file. */
  parentFileId?: string | undefined;
  /** Files that are held themselves, or that are not. */
  held?: boolean | undefined;
  /** Only files in these folders. */
  folders?: FolderScope | undefined;
  /** First and last instant of `created_at`, both included. */
  from?: Date | undefined;
  to?: Date | undefined;
}

/** The condition on `files`; every part of it is served by an index. */
export function filterSql(tenantId: string, filter: FileFilter): Sql {
  const conditions: Sql[] = [
    sql`tenant_id = ${tenantId}`,
    filter.deleted
      ? sql`deleted_at is not null and not exists (
          select from file_removals where file_id = files.id and began_at is not null)`
      : sql`deleted_at is null`,
  ];
  const { tags, mediaTypes, statuses, failureKinds, ids } = filter;
  if ([tags, mediaTypes, statuses, failureKinds, ids].some((values) => values?.length === 0))
    conditions.push(sql`false`);
  if (tags?.length) conditions.push(sql`tags @> array[${sqlList(tags)}]::text[]`);
  if (mediaTypes?.length) {
    // Not `= any`, which a GIN index cannot serve.
    const either = mediaTypes.map((type) => sql`media_type = ${type}`);
    conditions.push(sql`(${joinSql(either, 'or')})`);
  }
  if (statuses?.length) conditions.push(sql`primary_status in (${sqlList(statuses)})`);
  if (failureKinds?.length) {
    // Of the few failed files, which their index finds.
    const kind = raw<Sql>(failureKindSql('components'));
    conditions.push(sql`primary_status = 'failed' and ${kind} in (${sqlList(failureKinds)})`);
  }
  if (filter.hasDescription !== undefined) conditions.push(sql`has_description = ${filter.hasDescription}`);
  if (ids?.length) conditions.push(sql`id in (${sqlList(ids)})`);
  if (filter.complianceStatus) conditions.push(sql`compliance_status = ${filter.complianceStatus}`);
  if (filter.parentFileId) conditions.push(sql`parent_file_id = ${filter.parentFileId}`);
  if (filter.held !== undefined) conditions.push(filter.held ? sql`hold is not null` : sql`hold is null`);
  if (filter.folders) conditions.push(folderSql(filter.folders));
  if (filter.from) conditions.push(sql`created_at >= ${filter.from.toISOString()}`);
  if (filter.to) conditions.push(sql`created_at <= ${filter.to.toISOString()}`);
  return joinSql(conditions, 'and');
}

/** Whether a filter selects all live files or the whole trash, so that the tally has the count. */
export function isUnfiltered(filter: FileFilter): boolean {
  return Object.values({ ...filter, deleted: undefined }).every((value) => value === undefined);
}

function folderSql({ folderIds }: FolderScope): Sql {
  if (!folderIds) return sql`folder_id is null`;
  const [first = '', ...more] = folderIds;
  return more.length === 0
    ? sql`folder_id = ${first}`
    : sql`folder_id = any(${uuidArray(folderIds)}::uuid[])`;
}
