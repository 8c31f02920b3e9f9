import type { EntityManager } from '@mikro-orm/postgresql';
import { joinSql, sql, type Sql } from '../shared/sql.ts';

/** A word in more chunks than this tells little, and costs much to rank. */
const COMMON = 5000;

/**
 * Of words in the text, twice unused, and in the headings above it. All chunks of a document have its title, so that
 * headings must not outweigh what a chunk itself says.
 */
const WEIGHTS = '{0.5, 0.5, 0.5, 1}';

export interface FoundByWords {
  /** Best first. */
  ids: string[];
  /** Text search configuration of the query's language, as far as its words tell; null for a query of mere keywords. */
  dictionary: string | null;
}

/**
 * Ids of a tenant's chunks that have words of a query. The query is read by the dictionary of each chunk's language, so
 * that other forms of a word are found; what its own language says in every sentence is left out. Rare words count more
 * than common ones, repeated words a little more, and long chunks a little less.
 */
export async function findByWords(
  em: EntityManager,
  tenantId: string,
  { query, documentIds }: { query: string; documentIds?: readonly string[] | undefined },
  limit: number,
): Promise<FoundByWords> {
  const rows = await em.execute<{ id: string; asked: string | null }[]>(
    wordsSql(tenantId, query, documentIds, limit),
  );
  return { ids: rows.map(({ id }) => id), dictionary: rows[0]?.asked ?? null };
}

/**
 * The language of the query is the one of whose stop words it has the most. How rare a word is, is counted over all
 * languages: few chunks of a language would make all its words look rare.
 */
function wordsSql(
  tenantId: string,
  query: string,
  documentIds: readonly string[] | undefined,
  limit: number,
): Sql {
  const among: Sql = documentIds
    ? sql`chunk.tenant_id = ${tenantId} and chunk.file_id in (${list(documentIds)})`
    : sql`chunk.tenant_id = ${tenantId}`;
  return sql`with dictionaries as materialized (
      select distinct dictionary from document_chunks chunk where ${among}),
    terms as materialized (
      select dictionary, positions[1] as place,
        ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery as word
      from dictionaries, unnest(to_tsvector(dictionary::regconfig, searchable_text(${query})))),
    asked as materialized (
      select dictionary from terms group by dictionary
      having count(*) < (select count(*) from unnest(to_tsvector('simple', searchable_text(${query}))))
      order by count(*), dictionary limit 1),
    telling as (
      select * from terms
      where not exists (select from asked)
        or place in (select place from terms as own where own.dictionary = (select dictionary from asked))),
    counted as materialized (
      select dictionary, word, place, (select count(*) from (
          select from document_chunks chunk
          where ${among} and chunk.dictionary = telling.dictionary and chunk.search @@ telling.word limit ${COMMON}) as counted_rows) as found
      from telling),
    rarity as materialized (select place, sum(found) as found from counted group by place having sum(found) > 0),
    total as (select count(*) as chunks from (
      select from document_chunks chunk where ${among} limit ${COMMON * 20}) as counted_rows),
    scored as (
      select chunk.id, sum(ln(1 + (chunks + 1.0) / (rarity.found + 0.5)) * ts_rank(${WEIGHTS}::float4[], chunk.search, word, 1)) as score
      from counted join rarity using (place) cross join total cross join lateral (
        select id, search from document_chunks chunk
        where ${among} and chunk.dictionary = counted.dictionary and chunk.search @@ counted.word limit ${COMMON}) as chunk
      where rarity.found < ${COMMON} or not exists (select from rarity rare where rare.found < ${COMMON})
      group by chunk.id)
    select id, (select dictionary from asked) as asked from scored order by score desc, id limit ${limit}`;
}

function list(values: readonly string[]): Sql {
  return joinSql(
    values.map((value) => sql`${value}`),
    ',',
  );
}
