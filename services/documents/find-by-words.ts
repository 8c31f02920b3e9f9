import type { EntityManager } from '@mikro-orm/postgresql';
import { joinSql, sql, type Sql } from '../shared/sql.ts';

/** A word in more chunks than this tells little, and costs much to rank. */
const COMMON = 5000;

/**
 * Ids of a tenant's chunks that have words of a query, best first. The query is read by the dictionary of each chunk's
 * language, so that other forms of a word are found. Rare words count more than common ones, repeated words a little
 * more, and long chunks a little less.
 */
export async function findByWords(
  em: EntityManager,
  tenantId: string,
  { query, documentIds }: { query: string; documentIds?: readonly string[] | undefined },
  limit: number,
): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(wordsSql(tenantId, query, documentIds, limit));
  return rows.map(({ id }) => id);
}

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
      select dictionary, lexeme, ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery as word
      from dictionaries, unnest(to_tsvector(dictionary::regconfig, ${query}))),
    counted as materialized (
      select dictionary, word, (select count(*) from (
          select from document_chunks chunk
          where ${among} and chunk.dictionary = terms.dictionary and chunk.search @@ terms.word limit ${COMMON}) as counted_rows) as found
      from terms),
    total as (select count(*) as chunks from (
      select from document_chunks chunk where ${among} limit ${COMMON * 20}) as counted_rows),
    scored as (
      select chunk.id, sum(ln(1 + (chunks + 1.0) / (found + 0.5)) * ts_rank(chunk.search, word, 1)) as score
      from counted cross join total cross join lateral (
        select id, search from document_chunks chunk
        where ${among} and chunk.dictionary = counted.dictionary and chunk.search @@ counted.word limit ${COMMON}) as chunk
      where found > 0 and (found < ${COMMON} or not exists (select from counted rare where rare.found between 1 and ${COMMON - 1}))
      group by chunk.id)
    select id from scored order by score desc, id limit ${limit}`;
}

function list(values: readonly string[]): Sql {
  return joinSql(
    values.map((value) => sql`${value}`),
    ',',
  );
}
