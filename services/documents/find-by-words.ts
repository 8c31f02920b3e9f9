import type { EntityManager } from '@mikro-orm/postgresql';
import { weighWords, type CountedWord, type WeighedWord } from '../../domain/search.ts';
import type { SearchDeadline } from '../files/search-deadline.ts';
import { joinSql, sql, type Sql } from '../shared/sql.ts';

/** Further words hardly change the order, and each costs a count per dictionary and a check per chunk found. */
const MOST_WORDS = 32;

/** Chunks ranked per word, rarest words first; the count of a more frequent word stops here. */
const ENOUGH = 500;
/** The count of chunks stops here, since the weights of words hardly change beyond it. */
const COUNTED_CHUNKS = 5000;

/**
 * Weights of words in the text (twice unused) and in the headings above it. All chunks of a document share its title,
 * so headings must not outweigh the chunk's own text.
 */
const WEIGHTS = '{0.5, 0.5, 0.5, 1}';

export interface FoundByWords {
  /** Best first. */
  ids: string[];
  /** Text search configuration of the query's language, judged by its stop words; null for a query of mere keywords. */
  dictionary: string | null;
}

interface Scope {
  tenantId: string;
  documentIds: readonly string[] | undefined;
}

/**
 * Ids of a tenant's chunks that have words of a query. The query is parsed by the dictionary of each chunk's language,
 * so that other forms of a word match; stop words of its own language are left out. Rare words count more than common
 * ones, repeated words a little more, and long chunks a little less. Beyond 32 words, the longest are used, which are
 * mostly the rare ones.
 *
 * @param deadline of the search that reads in this transaction
 */
export async function findByWords(
  em: EntityManager,
  tenantId: string,
  { query, documentIds }: { query: string; documentIds?: readonly string[] | undefined },
  limit: number,
  deadline?: SearchDeadline,
): Promise<FoundByWords> {
  const scope = { tenantId, documentIds };
  const counted = await em.execute<(CountedWord & { chunks: number; asked: string | null })[]>(
    countSql(scope, query),
  );
  const { asked: dictionary = null, chunks = 0 } = counted[0] ?? {};
  const words = weighWords(counted, chunks, ENOUGH);
  if (words.length === 0) return { ids: [], dictionary };
  await deadline?.limit(em);
  const rows = await em.execute<{ id: string }[]>(rankSql(scope, words, limit));
  return { ids: rows.map(({ id }) => id), dictionary };
}

/** The language of the query is the one with the most of its stop words. */
function countSql(scope: Scope, query: string): Sql {
  const { tenantId } = scope;
  return sql`with recursive dictionaries as (
      select min(dictionary) as dictionary from document_chunks where tenant_id = ${tenantId}
      union all
      select (select min(dictionary) from document_chunks where tenant_id = ${tenantId} and dictionary > before.dictionary)
      from dictionaries before where dictionary is not null),
    terms as materialized (
      select dictionary, positions[1] as place, lexeme
      from dictionaries, unnest(to_tsvector(dictionary::regconfig, searchable_text(${query})))
      where dictionary is not null),
    asked as materialized (
      select dictionary from terms group by dictionary
      having count(*) < (select count(*) from unnest(to_tsvector('simple', searchable_text(${query}))))
      order by count(*), dictionary limit 1),
    telling as materialized (
      select * from terms
      where not exists (select from asked)
        or place in (select place from terms as own where own.dictionary = (select dictionary from asked))),
    longest as (
      select place from telling group by place order by max(length(lexeme)) desc, place limit ${MOST_WORDS})
    select dictionary, place, lexeme, (select dictionary from asked) as asked,
      (select count(*)::int from (
        select from document_chunks chunk
        where ${WORDS} @> array[${`${tenantId}/`} || telling.dictionary || '/' || lexeme] and ${among(scope)}
        limit ${ENOUGH}) as counted) as found,
      (select count(*)::int from (
        select from document_chunks chunk
        where tenant_id = ${tenantId} and ${among(scope)} limit ${COUNTED_CHUNKS}) as counted) as chunks
    from telling where place in (select place from longest)`;
}

/** Chunks that have one of the selected words, and those that have all words if only some were selected. */
function rankSql(scope: Scope, words: readonly WeighedWord[], limit: number): Sql {
  const dictionaries = [...new Set(words.map(({ dictionary }) => dictionary))].map((dictionary) => ({
    dictionary,
    own: words.filter((word) => word.dictionary === dictionary),
  }));
  const score = dictionaries
    .map(({ dictionary, own }) => sql`when ${dictionary} then ${plus(own.map(rankOf))}`)
    .reduce((one, other) => sql`${one} ${other}`);
  const found = (having: Sql) => sql`(
    select chunk.id, case chunk.dictionary ${score} end as score from document_chunks chunk
    where ${having} and ${among(scope)} limit ${ENOUGH})`;
  const sought = Map.groupBy(
    words.filter((word) => word.sought),
    ({ place }) => place,
  );
  const ways = [
    ...[...sought.values()].map((forms) => found(sql`${WORDS} && ${keys(scope, forms)}`)),
    ...(words.every((word) => word.sought)
      ? []
      : dictionaries.map(({ own }) => found(sql`${WORDS} @> ${keys(scope, own)}`))),
  ];
  return sql`select id from (${joinSql(ways, 'union')}) as scored order by score desc, id limit ${limit}`;
}

/** As in the index, whose keys contain the tenant: a separate condition on the tenant would cost a second lookup. */
const WORDS: Sql = sql`chunk_words(chunk.tenant_id, chunk.dictionary, chunk.search)`;

function keys({ tenantId }: Scope, words: readonly WeighedWord[]): Sql {
  const list = words.map(({ dictionary, lexeme }) => sql`${`${tenantId}/${dictionary}/${lexeme}`}`);
  return sql`array[${joinSql(list, ',')}]::text[]`;
}

function among({ documentIds }: Scope): Sql {
  if (!documentIds) return sql`true`;
  return sql`chunk.file_id in (${joinSql(
    documentIds.map((id) => sql`${id}`),
    ',',
  )})`;
}

function rankOf({ lexeme, weight }: WeighedWord): Sql {
  const quoted = `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  return sql`${weight} * ts_rank(${WEIGHTS}::float4[], chunk.search, ${quoted}::tsquery, 1)`;
}

function plus(terms: readonly Sql[]): Sql {
  return terms.reduce((one, other) => sql`${one} + ${other}`);
}
