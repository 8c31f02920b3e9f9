import { searchTerms } from '../../domain/search/search-terms.ts';
import { joinSql, sql, type Sql } from '../shared/sql.ts';

export const SEARCH_MODES = ['all', 'metadata', 'visible_text'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** Shorter words are too like each other for a guess at a typing error. */
const MIN_TYPO_LENGTH = 4;
/** Who quotes means it word by word. */
const QUOTES = /["“”]/;

/** What a search asks of `files`, as conditions and scores. */
export interface FileMatch {
  /** Every word is there: in the searched texts by its stem, or in title, file name and tags by a part of it. */
  exact: Sql;
  /** The same in parts, from the best place to be found in to the worst, each served by the index on its own. */
  places: Sql[];
  /** Title, file name or tags look like what was asked for; for when there is nothing exact. */
  similar: Sql | undefined;
  /** Above all where it was found: title and tags, parts of names, description, visible text; then how often. */
  score: Sql;
  /** How alike it looks, below any score of an exact match. */
  likeness: Sql;
}

/** @returns undefined when the search has no word in it, and so nothing can match */
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
    similar:
      search.length < MIN_TYPO_LENGTH || QUOTES.test(search) ? undefined : sql`search_names %> ${folded}`,
    score,
    likeness: sql`round(word_similarity(${folded}, search_names)::numeric, 2)`,
  };
}

/**
 * A word anywhere in the names; words too short for a trigram only where a word begins, which the index finds. Folded
 * text has no wildcards.
 */
function partOfName(term: string): Sql {
  const anywhere = [...term].length >= 3;
  return anywhere
    ? sql`search_names like '%' || search_fold(${term}) || '%'`
    : sql`search_names like '% ' || search_fold(${term}) || '%'`;
}

/** Below 1, and coarse, so that equals are equal and the newest of them comes first. */
function rank(vector: Sql, words: Sql): Sql {
  return sql`round(ts_rank(array[0.05, 0.2, 0.5, 1], ${vector}, ${words}, 32)::numeric, 2)`;
}
