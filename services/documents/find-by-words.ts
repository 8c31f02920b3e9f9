/** Search of chunks by words. The file is long because all of it makes the parts of one SQL statement. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { idealScore, weighWords, type CountedWord, type WeighedWord } from '../../domain/search.ts';
import { LANGUAGE_DICTIONARIES } from '../../domain/documents/dictionaries.ts';
import type { SearchDeadline } from '../files/search-deadline.ts';
import { raw } from '@mikro-orm/core';
import { uuidArray } from '../files/folders/read-folders.ts';
import { joinSql, sql, sqlList, type Sql } from '../shared/sql.ts';

/** Further words hardly change the order, and each costs a count per dictionary and a check per chunk found. */
const MOST_WORDS = 32;
/** Chunks of an account from which its size, the mean length of a chunk and the numbers of common words are estimated. */
const SAMPLE = 200;
/** A word in fewer chunks of the sample is counted, since its number cannot be estimated. */
const LEAST_SAMPLED = 10;
/** A count of chunks stops here; the number of a more frequent word is estimated. */
const MOST_COUNTED = 1000;
/** Chunks that are ranked for the words that select all chunks with them, and for one word or pair that selects some. */
const MOST_RANKED = { whole: 1000, part: 200 };

/** Chunks of given documents up to which all of them are compared with the words, instead of looking up each word. */
const MOST_READ = 3000;

/** Of a language without any text in the account: a single stop word is often a keyword of another language. */
const FEWEST_STOP_WORDS = 2;

/** Similar words that a misspelt one may stand for, and the letters from which it may differ in two. */
const SPELLINGS = { most: 3, long: 8 };
/** Letters of words that may be misspellings: those of `spellable_lexemes` in the database, and two more. */
const SPELLABLE = { least: 4, most: 34 };
/** Words that begin or end like a misspelt one and are compared with it. */
const MOST_COMPARED = 2000;

/** BM25: how fast repetitions of a word stop to count, and how much the length of a chunk counts. */
const K1 = 0.9;
const B = 0.5;

export interface FoundByWords {
  /** Best first. A score of 1 is that of a chunk of mean length that has each word once; more is possible. */
  hits: { id: string; fileId: string; score: number }[];
  /** Text search configuration of the query's language, judged by its stop words; null for a query of mere keywords. */
  dictionary: string | null;
}

interface Scope {
  tenantId: string;
  documentIds: readonly string[] | undefined;
  folderIds: readonly string[] | undefined;
  mediaTypes: readonly string[] | undefined;
}

/** The chunks of an account, estimated. */
interface Size {
  /** Number of chunks. */
  chunks: number;
  /** Mean number of tokens per chunk. */
  tokens: number;
}

/**
 * A tenant's chunks that have words of a query, ranked by BM25 over a chunk and the headings above it. The query is
 * parsed by the dictionary of each chunk's language, so that other forms of a word match; stop words of its own language
 * are left out. A word that no chunk has stands for the most similar ones that some have. Beyond 32 words, the longest
 * are used, which are mostly the rare ones.
 *
 * @param deadline of the search that reads in this transaction
 */
export async function findByWords(
  em: EntityManager,
  tenantId: string,
  { query, documentIds, folderIds, mediaTypes }: { query: string } & Partial<Omit<Scope, 'tenantId'>>,
  limit: number,
  deadline?: SearchDeadline,
): Promise<FoundByWords> {
  const scope = { tenantId, documentIds, folderIds, mediaTypes };
  const counted = await em.execute<(CountedWord & Size & { asked: string | null })[]>(askedSql(scope, query));
  const [first] = counted;
  if (!first) return { hits: [], dictionary: null };
  const { asked: dictionary, chunks, tokens } = first;
  await deadline?.limit(em);
  const words = weighWords(
    [...counted, ...(await findSpellings(em, tenantId, counted))],
    chunks,
    MOST_RANKED.whole,
  );
  if (words.length === 0) return { hits: [], dictionary };
  await deadline?.limit(em);
  const candidates = (await areFew(em, scope)) ? allWith(scope, words) : candidatesSql(scope, words);
  const rows = await em.execute<FoundByWords['hits']>(rankSql(candidates, words, tokens, limit));
  const ideal = idealScore(counted, words, chunks);
  return { hits: rows.map((row) => ({ ...row, score: row.score / ideal })), dictionary };
}

/**
 * The words of a query, counted. The language of the query is the one with the most of its stop words: of the languages of the
 * account, else of all, since it may ask in a language in which it has no text.
 */
function askedSql({ tenantId }: Scope, query: string): Sql {
  return sql`with recursive dictionaries as (
      select min(dictionary) as dictionary from document_chunks where tenant_id = ${tenantId}
      union all
      select (select min(dictionary) from document_chunks where tenant_id = ${tenantId} and dictionary > before.dictionary)
      from dictionaries before where dictionary is not null),
    query as materialized (
      select text, (select count(*) from unnest(to_tsvector('simple', text))) as words
      from (select chunk_text(${query}) as text) as given),
    terms as materialized (
      select dictionary, positions[1] as place, search_unaccent(lexeme) as lexeme
      from dictionaries, query, unnest(to_tsvector(dictionary::regconfig, text))
      where dictionary is not null),
    known as materialized (
      select dictionary from terms group by dictionary having count(*) < (select words from query)
      order by count(*), dictionary limit 1),
    -- Not computed if the language is known, since it costs 2 ms. An older Postgres does not have all dictionaries.
    foreign_terms as materialized (
      select dictionary, positions[1] as place
      from (select cfgname::text collate "default" as dictionary from pg_ts_config where cfgname in (${sqlList(LANGUAGE_DICTIONARIES)})),
        query, unnest(to_tsvector(dictionary::regconfig, text))
      where not exists (select from known)),
    asked as materialized (
      select dictionary from known
      union all (
        select dictionary from foreign_terms
        group by dictionary having count(*) + ${FEWEST_STOP_WORDS} <= (select words from query)
        order by count(*), dictionary limit 1)),
    telling as materialized (
      select * from terms
      where not exists (select from asked) or place in (
        select place from (select dictionary, place from terms union all select * from foreign_terms) as every
        where dictionary = (select dictionary from asked))),
    longest as (
      select place from telling group by place order by max(length(lexeme)) desc, place limit ${MOST_WORDS}),
    words as materialized (
      select *, 1::float8 as likeness, (select dictionary from asked) as asked
      from telling where place in (select place from longest)),
    ${counted(tenantId)}`;
}

/**
 * Words that those without any chunk may be misspellings of, counted. Only words that begin or end like them are
 * compared: a misspelling seldom changes both halves, and comparing all would cost as much as the account has words. Two
 * letters that have changed places count as one edit; they are put back before the word loses its ending, since `vlaue`
 * keeps the `e` that `value` loses.
 */
async function findSpellings(
  em: EntityManager,
  tenantId: string,
  words: readonly CountedWord[],
): Promise<CountedWord[]> {
  const known = new Set(words.filter(({ found }) => found > 0).map(({ place }) => place));
  const missing = words.filter(({ place }) => !known.has(place));
  if (missing.length === 0) return [];
  const begins = (text: string, word: string) =>
    sql`${raw(text)} between left(${raw(word)}, half) and left(${raw(word)}, half) || chr(1114111)`;
  const own = sql`own.tenant_id = ${tenantId} and own.dictionary = missing.dictionary`;
  return em.execute<CountedWord[]>(
    sql`with missing as (
        select *, greatest(2, (length(lexeme) - 1) / 2) as half
        from jsonb_to_recordset(${JSON.stringify(missing)}::jsonb) as word (dictionary text, place int, lexeme text)
        where length(lexeme) between ${SPELLABLE.least} and ${SPELLABLE.most}),
      compared as (
        select missing.dictionary, place, other.lexeme, 
          levenshtein_less_equal(other.lexeme, missing.lexeme, 2) as edits, length(missing.lexeme) as letters,
          similarity(other.lexeme, missing.lexeme) as alike
        from missing, lateral (
          (select lexeme from chunk_lexemes as own
            where ${own} and ${begins('lexeme', 'missing.lexeme')} limit ${MOST_COMPARED})
          union
          (select lexeme from chunk_lexemes as own
            where ${own} and ${begins('reverse(lexeme) collate "C"', 'reverse(missing.lexeme)')} limit ${MOST_COMPARED})
        ) as other),
      swapped as (
        select missing.dictionary, place, other.lexeme, 1 as edits, length(missing.lexeme) as letters,
          similarity(other.lexeme, missing.lexeme) as alike
        from missing, generate_series(1, length(missing.lexeme) - 1) as at,
          unnest(to_tsvector(missing.dictionary::regconfig,
            overlay(missing.lexeme placing reverse(substr(missing.lexeme, at, 2)) from at))) as other
        where exists (select from chunk_lexemes as own where ${own} and own.lexeme = other.lexeme)),
      best as (
        select distinct on (dictionary, place, lexeme) *, greatest(alike, 1 - edits * 1.0 / letters)::float8 as likeness
        from (select * from compared union all select * from swapped) as candidates
        where alike >= 0.5 or edits <= 1 or (edits = 2 and letters >= ${SPELLINGS.long})
        order by dictionary, place, lexeme, edits),
      ranked as (
        select *, row_number() over (partition by place order by likeness desc, alike desc, lexeme, dictionary) as rank
        from best),
      words as materialized (
        select dictionary, place, lexeme collate "default" as lexeme, likeness, null as asked
        from ranked where rank <= ${SPELLINGS.most}),
      ${counted(tenantId)}`,
  );
}

/**
 * Counts the chunks with each of the `words`, and the account's chunks. Ids of chunks are hashes: those with the lowest
 * are a random sample, and the highest of these tells how many chunks there are. The number of a word that is common in
 * the sample is estimated, since counting would cost as much as the account has chunks.
 */
function counted(tenantId: string): Sql {
  return sql`sample as materialized (
      select id, dictionary, search, token_count from document_chunks
      where tenant_id = ${tenantId} order by id limit ${SAMPLE}),
    size as materialized (
      select count(*) as sampled, coalesce(avg(token_count), 0)::float8 as tokens,
        case when count(*) < ${SAMPLE} then count(*) else ${SAMPLE - 1} * 2.0 ^ 32
          / greatest(1, ('x' || left(max(id::text), 8))::bit(32)::bigint) end::float8 as chunks
      from sample),
    asking as materialized (select *, ${queryOf(sql`lexeme`)} as query from words),
    sampled as materialized (
      select asking.*, (
        select count(*) from sample where sample.dictionary = asking.dictionary and search @@ query) as hits
      from asking),
    estimated as (
      select *, hits >= ${LEAST_SAMPLED} and hits * chunks > ${MOST_COUNTED} * sampled as common,
        hits * chunks / sampled as estimate
      from sampled, size)
    select dictionary, place, lexeme, likeness, asked, chunks, tokens,
      case when common then estimate else (
        select case when count(*) < ${MOST_COUNTED} then count(*) else greatest(count(*), estimate) end
        from (
          select from document_chunks chunk
          where ${WORDS} @> array[${`${tenantId}/`} || estimated.dictionary || '/' || lexeme] limit ${MOST_COUNTED}
        ) as counted) end::float8 as found
    from estimated`;
}

/** Whether a scope names documents with so few chunks that all of them can be read. */
async function areFew(em: EntityManager, { tenantId, documentIds }: Scope): Promise<boolean> {
  if (!documentIds) return false;
  const [counted] = await em.execute<{ areFew: boolean }[]>(
    sql`select count(*) <= ${MOST_READ} as "areFew" from (
      select from document_chunks
      where tenant_id = ${tenantId} and file_id in (${sqlList(documentIds)}) limit ${MOST_READ + 1}) as read`,
  );
  return counted?.areFew ?? false;
}

/** All live chunks of the scope with one of the words, without the index of words. */
function allWith(scope: Scope, words: readonly WeighedWord[]): Sql {
  const any = perDictionary(words, (own) =>
    own.map(({ lexeme }) => queryOf(sql`${lexeme}`)).reduce((one, other) => sql`${one} || ${other}`),
  );
  return sql`select chunk.ctid from document_chunks chunk
    where tenant_id = ${scope.tenantId} and search @@ (${any}) and ${among(scope)}`;
}

/**
 * Live chunks that have one of the selected words. Of the chunks with a word that does not fit in, those that repeat it
 * are ranked, some others, and those that have two of the rarest words or all; in given documents, also some with any
 * word.
 */
function candidatesSql(scope: Scope, words: readonly WeighedWord[]): Sql {
  const dictionaries = Map.groupBy(words, ({ dictionary }) => dictionary);
  const way = (having: Sql, most: number) => sql`(
    select chunk.ctid from document_chunks chunk where ${having} and ${among(scope)} limit ${most})`;
  const having = (some: readonly WeighedWord[]) => sql`${WORDS} @> ${keys(scope, some)}`;
  const whole = words.filter(({ selects }) => selects === 'all');
  const repeated = words.filter(({ selects }) => selects === 'repeated');
  const common = [
    ...repeated.map((word) => way(sql`${WORDS} @> ${keys(scope, [word], '+')}`, MOST_RANKED.part)),
    ...repeated.map((word) => way(having([word]), MOST_RANKED.part)),
    ...pairsOf([...whole, ...repeated]).map((pair) => way(having(pair), MOST_RANKED.part)),
    ...[...dictionaries.values()].map((own) => way(having(own), MOST_RANKED.part)),
  ];
  const any = (some: readonly WeighedWord[]) =>
    some.length > 0 ? [way(sql`${WORDS} && ${keys(scope, some)}`, MOST_RANKED.whole)] : [];
  const ways = [
    ...any(whole),
    ...(scope.documentIds ? any(words) : []),
    ...(repeated.length > 0 ? common : []),
  ];
  return joinSql(ways, 'union');
}

/** The best of the candidates. */
function rankSql(candidates: Sql, words: readonly WeighedWord[], tokens: number, limit: number): Sql {
  const score = perDictionary(words, scoreOf);
  return sql`select id, file_id as "fileId", score from (
      select id, file_id, (${score})::float8 as score
      from (
        select id, file_id, dictionary, search, ${K1} * (1 - ${B}::float8 + ${B} * token_count / ${Math.max(1, tokens)}) as k
        from document_chunks chunk where ctid = any(array(${candidates}))) as chunk) as scored
    order by score desc, id limit ${limit}`;
}

/** An expression for each dictionary; null for chunks in others. */
function perDictionary(words: readonly WeighedWord[], expression: (own: readonly WeighedWord[]) => Sql): Sql {
  const cases = [...Map.groupBy(words, ({ dictionary }) => dictionary)]
    .map(([dictionary, own]) => sql`when ${dictionary} then ${expression(own)}`)
    .reduce((one, other) => sql`${one} ${other}`);
  return sql`case dictionary ${cases} end`;
}

/** As in the index, whose keys contain the tenant: a separate condition on the tenant would cost a second lookup. */
const WORDS: Sql = sql`chunk_words(chunk.tenant_id, chunk.dictionary, chunk.search)`;

function keys({ tenantId }: Scope, words: readonly WeighedWord[], repeated: '' | '+' = ''): Sql {
  const list = words.map(({ dictionary, lexeme }) => `${tenantId}/${repeated}${dictionary}/${lexeme}`);
  return sql`array[${sqlList(list)}]::text[]`;
}

/** Pairs of words of one dictionary at different places, of the three rarest at most. */
function pairsOf(words: readonly WeighedWord[]): [WeighedWord, WeighedWord][] {
  const pairs = [...Map.groupBy(words, ({ dictionary }) => dictionary).values()].flatMap((own) => {
    const rarest = own.toSorted((a, b) => b.weight - a.weight).slice(0, 3);
    return rarest.flatMap((one, at) =>
      rarest
        .slice(at + 1)
        .filter(({ place }) => place !== one.place)
        .map((other): [WeighedWord, WeighedWord] => [one, other]),
    );
  });
  return pairs;
}

/** Live chunks, of the given documents, folders and media if any. */
function among({ documentIds, folderIds, mediaTypes }: Scope): Sql {
  const ofMedia = mediaTypes ? sql`and media_type in (${sqlList(mediaTypes)})` : sql``;
  const inFolders = folderIds ? sql`and folder_id = any(${uuidArray(folderIds)}::uuid[])` : sql``;
  return sql`${documentIds ? sql`chunk.file_id in (${sqlList(documentIds)})` : sql`true`}
    and exists (select from files where files.id = chunk.file_id and deleted_at is null ${ofMedia} ${inFolders})`;
}

/** Of several spellings of a word, the best counts. */
function scoreOf(words: readonly WeighedWord[]): Sql {
  return [...Map.groupBy(words, ({ place }) => place).values()]
    .map((forms) => sql`greatest(${joinSql(forms.map(bm25), ',')})`)
    .reduce((one, other) => sql`${one} + ${other}`);
}

/**
 * The share of a word in the score of a chunk. With equal weights, `ts_rank` is 6/π² times the sum of 1/i² for each
 * occurrence i, in which the number of occurrences is legible: the rest of the infinite sum is about 1 / (n + ½). Counting
 * the positions instead would take ten times as long.
 */
function bm25({ lexeme, weight }: WeighedWord): Sql {
  const rank = sql`ts_rank('{1,1,1,1}', search, ${queryOf(sql`${lexeme}`)}, 0)::float8`;
  return sql`${weight * (K1 + 1)} * (1 - k / (k + round(1 / (1.6449340668 * greatest(1e-6, 1 - ${rank})) - 0.5)))`;
}

function queryOf(lexeme: Sql): Sql {
  return sql`('''' || replace(replace(${lexeme}, '\\', '\\\\'), '''', '''''') || '''')::tsquery`;
}
