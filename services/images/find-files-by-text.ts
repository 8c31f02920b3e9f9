import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageEmbedding } from '../../adapters/models/image-embedding/image-embedding.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { share, similarity } from '../../domain/similarity.ts';
import { isAway, MEANING_SHARE } from '../files/search-by-meaning.ts';
import type { SearchDeadline } from '../files/search-deadline.ts';
import { MEDIA_IN_INDEX, pointId } from './index-images.ts';
import type { MediaType } from '../../domain/media.ts';
import { searchTerms } from '../../domain/search.ts';
import { fileMatch, filterSql } from '../files/file-filter.ts';
import { BY_RELEVANCE } from '../files/file-order.ts';
import { pageSql } from '../files/list-files.ts';
import { joinSql, sql, type Sql } from '../shared/sql.ts';

export interface TextSearchDeps {
  em: EntityManager;
  /** The model of the vectors in the index. */
  embedding: Pick<ImageEmbedding, 'model' | 'embedText' | 'mostSimilar' | 'near'>;
  vectors: VectorIndex;
  /** Called with the reason when the search fell back to words only. */
  onDegraded: (error: unknown) => void;
}

export interface FileHits {
  hits: FileHit[];
  /** `words` without a model that embeds texts, and while it or the index cannot be reached. */
  rankedBy: 'meaning_and_words' | 'words';
}

export interface FileHit {
  file: StoredFile;
  foundBy: 'meaning' | 'words' | 'meaning_and_words';
  /** Of image and query, as a share of {@link ImageEmbedding.mostSimilar}, 0–1, also of a file found by words; null without a vector of the file. */
  similarity: number | null;
}

/** Further candidates, since the index may contain deleted files. */
const SPARE = 20;
/** Candidates where only some of the media in the index are asked for: its entries do not name their medium. */
const OF_SOME_MEDIA = 1000;

/**
 * A tenant's live images and videos that a text describes, best first: the nearest vectors and the files with its words,
 * fused by reciprocal rank. Every hit is read from its row, which alone has its tenant, medium and deletion.
 *
 * The nearest images are hits however far they are, unless the model says what is near: of others, no distance separates what
 * they recognise from what they do not.
 *
 * @throws AppError SEARCH_TIMEOUT
 */
export async function findFilesByText(
  deps: TextSearchDeps,
  search: FileWords,
  limit: number,
  deadline: SearchDeadline,
): Promise<FileHits> {
  const { em, embedding } = deps;
  const words = deadline.read(em, (tx) => findFilesByWords(tx, search, limit + SPARE, deadline));
  // Awaited below, after the vectors.
  words.catch(() => undefined);
  const meaning = embedding.embedText && (await findByMeaning(deps, search, { limit, words, deadline }));
  const named = await words;
  const near = meaning?.near ?? [];
  const order = fuseRanks([named, near]);
  const files = await deadline.read(em, (tx) => readFiles(tx, search, order));
  const hits = order.flatMap((id): FileHit[] => {
    const file = files.get(id);
    const foundBy = !near.includes(id) ? 'words' : named.includes(id) ? 'meaning_and_words' : 'meaning';
    return file ? [{ file, foundBy, similarity: meaning?.similarities.get(id) ?? null }] : [];
  });
  return { hits: hits.slice(0, limit), rankedBy: meaning ? 'meaning_and_words' : 'words' };
}

/** Dampens the advantage of the first ranks, as in the paper on reciprocal rank fusion. */
const RANK_OFFSET = 60;

/** The ids of all lists, best first, by reciprocal rank fusion. Equal scores keep the order of the lists. */
function fuseRanks(lists: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const ids of lists)
    for (const [rank, id] of ids.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + rank + 1));
  return [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
}

interface Meaning {
  /** Ids of the nearest files, nearest first. */
  near: string[];
  /** Similarities of these and of the files found by words. */
  similarities: Map<string, number>;
}

interface Asked {
  limit: number;
  words: Promise<readonly string[]>;
  deadline: SearchDeadline;
}

/** Undefined while the model or the index cannot be reached. */
async function findByMeaning(
  deps: TextSearchDeps,
  search: FileWords,
  { limit, words, deadline }: Asked,
): Promise<Meaning | undefined> {
  try {
    return await deadline.within(MEANING_SHARE, (late) => nearestFiles(deps, search, { limit, words, late }));
  } catch (error) {
    if (!isAway(error)) throw error;
    deps.onDegraded(error);
    return undefined;
  }
}

async function nearestFiles(
  { embedding, vectors }: TextSearchDeps,
  { tenantId, query, mediaTypes }: FileWords,
  { limit, words, late }: Pick<Asked, 'limit' | 'words'> & { late: AbortSignal },
): Promise<Meaning> {
  const vector = (await embedding.embedText?.(query, { signal: late })) ?? [];
  const anyMedium = MEDIA_IN_INDEX.every((medium) => mediaTypes.includes(medium));
  const near = await vectors.search({ vector, tenantId, limit: anyMedium ? limit + SPARE : OF_SOME_MEDIA });
  const idOf = new Map((await words).map((id) => [pointId(id, embedding.model), id]));
  const named = await vectors.findMany({ tenantId, ids: [...idOf.keys()] });
  const most = embedding.mostSimilar?.(vector) ?? 1;
  const similarities = new Map([
    ...[...named].map(
      ([point, own]) => [idOf.get(point) ?? '', share(similarity(vector, own) / most)] as const,
    ),
    ...near.map(({ fileId, score }) => [fileId, share(score / most)] as const),
  ]);
  const least = embedding.near ?? 0;
  return {
    near: near.map(({ fileId }) => fileId).filter((id) => (similarities.get(id) ?? 0) >= least),
    similarities,
  };
}

async function readFiles(
  tx: EntityManager,
  { tenantId, mediaTypes }: FileWords,
  ids: readonly string[],
): Promise<Map<string, StoredFile>> {
  const files = await tx.find(StoredFile, {
    id: { $in: [...ids] },
    tenantId,
    mediaType: { $in: [...mediaTypes] },
    deletedAt: null,
  });
  return new Map(files.map((file) => [file.id, file]));
}

/** Newest files counted and ranked per term. */
const RANKED = 500;
/** Share of the weight of all terms that a file must have: a sentence is not found by one of its common words. */
const LEAST_SHARE = 0.5;

interface FileWords {
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
