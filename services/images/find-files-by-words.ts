import type { EntityManager } from '@mikro-orm/postgresql';
import type { MediaType } from '../../domain/media.ts';
import { searchTerms } from '../../domain/search.ts';
import { fileMatch, filterSql } from '../files/file-filter.ts';
import { BY_RELEVANCE } from '../files/file-order.ts';
import { pageSql } from '../files/list-files.ts';
import type { SearchDeadline } from '../files/search-deadline.ts';
import { joinSql, sql, type Sql } from '../shared/sql.ts';

/** Newest files counted and ranked per term. */
const RANKED = 500;
/** Share of the weight of all terms that a file must have: a sentence is not found by one of its common words. */
const LEAST_SHARE = 0.5;

export interface FileWords {
  tenantId: string;
  query: string;
  mediaTypes: readonly MediaType[];
}

/**
 * Ids of a tenant's live files whose title, name, tags, description or visible text have the words of a query, best
 * first: those that the search of lists finds, then those with only some of the words, the rare ones counting more.
 *
 * @param deadline of the search that reads in this transaction
 */
export async function findFilesByWords(
  tx: EntityManager,
  { tenantId, query, mediaTypes }: FileWords,
  limit: number,
  deadline: SearchDeadline,
): Promise<string[]> {
  const match = fileMatch(query, 'all');
  if (!match) return [];
  const filter = { deleted: false, mediaTypes: [...mediaTypes] };
  const read = async (statement: Sql): Promise<string[]> => {
    await deadline.limit(tx);
    return (await tx.execute<{ id: string }[]>(statement)).map(({ id }) => id);
  };
  const page = { tenantId, filter, match, order: BY_RELEVANCE, limit, offset: 0 };
  const whole = await read(pageSql(tx, page));
  if (whole.length >= limit) return whole.slice(0, limit);
  const partly = await read(someWordsSql(filterSql(tenantId, filter), searchTerms(query), limit));
  return [...new Set([...whole, ...partly])].slice(0, limit);
}

/** Terms without a meaningful word, such as "the", count neither way; a term that no file has still counts. */
function someWordsSql(among: Sql, terms: readonly string[], limit: number): Sql {
  const phrases = terms.map(
    (term, place) => sql`(${place}, phraseto_tsquery('english', search_fold(${term})))`,
  );
  return sql`with terms (place, words) as materialized (
      select * from (values ${joinSql(phrases, ',')}) as phrases (place, words) where numnode(words) > 0),
    hits as materialized (
      select place, hit.* from terms cross join lateral (
        select id, created_at from files where ${among} and search_all @@ words
        order by created_at desc, id desc limit ${RANKED}) as hit),
    weights as materialized (
      select place, ln(1 + (${RANKED} + 1) / (greatest(count(id), 1) + 0.5)) as weight
      from terms left join hits using (place) group by place)
    select id from hits join weights using (place) group by id, created_at
    having sum(weight) >= ${LEAST_SHARE} * (select sum(weight) from weights)
    order by sum(weight) desc, created_at desc, id desc limit ${limit}`;
}
