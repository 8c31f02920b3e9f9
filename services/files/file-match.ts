import { searchTerms } from '../../domain/search/search-terms.ts';
import { toleratesTypos } from '../../domain/search/typo-tolerance.ts';
import { joinSql, sql, type Sql } from '../shared/sql.ts';

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
