import type { EntityManager } from '@mikro-orm/postgresql';
import type { TextEmbedding } from '../../adapters/models/text-embedding/text-embedding.ts';
import { ModelError } from '../../adapters/models/model-error.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { AppError } from '../../domain/app-error.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';
import { fuseRanks } from '../../domain/search.ts';
import { outage } from '../shared/outage.ts';
import { SearchDeadline } from '../files/search-deadline.ts';
import { detectLanguage } from '../../adapters/document-reader/language.ts';
import { findByWords, type FoundByWords } from './find-by-words.ts';

export interface ChunkSearchDeps {
  em: EntityManager;
  textEmbedding: TextEmbedding;
  chunkVectors: VectorIndex;
  /** Called with the reason when the search fell back to words only. */
  onDegraded: (error: unknown) => void;
}

export interface ChunkSearch {
  query: string;
  limit: number;
  /** Minimum cosine similarity of a hit, 0–1; at 0, chunks without a vector are hits as well. */
  threshold: number;
  /** Restricts the search to these documents; unknown and foreign ids have no hits. */
  documentIds?: readonly string[] | undefined;
  /** Time limit of the whole search. */
  timeoutMs: number;
}

export interface ChunkHits {
  hits: ChunkHit[];
  /** `words` when the query model or the index could not be reached. */
  rankedBy: 'meaning_and_words' | 'words';
}

export interface ChunkHit {
  id: string;
  documentId: string;
  filename: string;
  mediaType: string;
  /** The URL of a link. */
  sourceUrl: string | null;
  index: number;
  content: string;
  pageNumbers: number[];
  headingPath: string[];
  type: string;
  /** Cosine similarity of chunk and query, 0–1, also for a hit by words; null while the chunk has no vector. */
  similarity: number | null;
}

/** Candidates of each kind that are fused. */
const CANDIDATES = 100;
/** Minimum for language detection by letters; in shorter queries, stop words are the better evidence. */
const FEWEST_LETTERS = 33;
/** Weights of hits by meaning; hits by words have 1. Single-language models rank other languages at random. */
const WEIGHTS = { anyLanguage: 1, oneLanguage: 0.5, foreign: 0.05 };
/** Candidates read at a time: a few more than requested. */
const readAtOnce = (limit: number): number => Math.max(2 * limit, 20);
/**
 * Share of the time limit in which the model and the index must find the nearest chunks; the rest is for the search by
 * words alone.
 */
const MEANING_SHARE = 0.75;
const RETRY_AFTER_SECONDS = 5;

/**
 * Chunks of a tenant's live documents that match a query, best first: nearest vectors and chunks with its words, in the
 * forms of their language, fused by reciprocal rank. Every hit is read from its row, which alone has its tenant and
 * deletion.
 *
 * Falls back to words alone when the query model or the index is missing or too slow. A search with a threshold is
 * refused then, since there is no similarity to compare with it.
 *
 * @throws AppError SEARCH_TIMEOUT, SERVICE_UNAVAILABLE; VectorIndexError
 */
export async function searchChunks(
  deps: ChunkSearchDeps,
  tenantId: string,
  search: ChunkSearch,
): Promise<ChunkHits> {
  const { em, textEmbedding } = deps;
  const { query, documentIds, threshold, timeoutMs } = search;
  if (documentIds?.length === 0) return { hits: [], rankedBy: 'meaning_and_words' };
  const deadline = new SearchDeadline(timeoutMs);
  const words = deadline.read(em, (tx) =>
    findByWords(tx, tenantId, { query, documentIds }, CANDIDATES, deadline),
  );
  // Awaited below, after the vectors.
  words.catch(() => undefined);
  const late = AbortSignal.timeout(Math.ceil(timeoutMs * MEANING_SHARE));
  const near = findByMeaning(deps, tenantId, search, { words, late });
  const meaning = await inTime(near, late, tooLate).catch((error: unknown) => {
    if (threshold > 0 || !isAway(error)) throw error;
    deps.onDegraded(error);
    return undefined;
  });
  const { ids, dictionary } = await words;
  const order = fuseRanks([
    { ids, weight: 1 },
    { ids: meaning?.near ?? [], weight: vectorWeight(textEmbedding, query, dictionary) },
  ]);
  const hits = await readHits(deps, tenantId, { order, meaning }, { ...search, deadline });
  return { hits, rankedBy: meaning ? 'meaning_and_words' : 'words' };
}

/** The result of the vector search. */
interface Meaning {
  vector: readonly number[];
  /** Ids of the nearest chunks, nearest first. */
  near: string[];
  /** Similarities of these and of the best hits by words; null for a chunk without a vector. */
  similarities: Map<string, number | null>;
}

async function findByMeaning(
  { textEmbedding, chunkVectors }: ChunkSearchDeps,
  tenantId: string,
  { query, documentIds, limit }: ChunkSearch,
  { words, late }: { words: Promise<FoundByWords>; late: AbortSignal },
): Promise<Meaning> {
  // The search by words usually ends first.
  const best = words.then(async ({ ids }) => {
    const some = ids.slice(0, readAtOnce(limit));
    return { ids: some, vectors: await chunkVectors.findMany({ tenantId, ids: some }) };
  });
  // Awaited below.
  best.catch(() => undefined);
  const vector = await embedQuery(textEmbedding, query, late);
  const near = await chunkVectors.search({
    vector,
    tenantId,
    limit: CANDIDATES,
    ...(documentIds && { filter: { fileIds: documentIds } }),
  });
  const { ids, vectors } = await best;
  return {
    vector,
    near: near.map(({ id }) => id),
    similarities: new Map([
      ...ids.map((id) => [id, similarity(vector, vectors.get(id))] as const),
      ...near.map(({ id, score }) => [id, share(score)] as const),
    ]),
  };
}

/** Rejects once the time is up; the index has no cancellation. */
async function inTime<R>(result: Promise<R>, late: AbortSignal, error: () => Error): Promise<R> {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  const onLate = (): void => reject(error());
  if (late.aborted) onLate();
  late.addEventListener('abort', onLate, { once: true });
  try {
    return await Promise.race([result, passed]);
  } finally {
    late.removeEventListener('abort', onLate);
  }
}

function tooLate(cause?: unknown): AppError {
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new AppError('SERVICE_UNAVAILABLE', 'the query was not compared in time', details, { cause });
}

function isAway(error: unknown): boolean {
  return (
    (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') || outage(error) === 'vector index'
  );
}

async function embedQuery(
  textEmbedding: TextEmbedding,
  query: string,
  late: AbortSignal,
): Promise<readonly number[]> {
  try {
    const [vector] = await textEmbedding.embed([query], { signal: late });
    return vector ?? [];
  } catch (error) {
    if (error instanceof DOMException) throw tooLate(error);
    if (!(error instanceof ModelError)) throw error;
    const { message, retryAfterSeconds = RETRY_AFTER_SECONDS } = error;
    throw new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds }, { cause: error });
  }
}

/** A single-language model counts less for a query in another language, judged by its words or script. */
function vectorWeight({ language }: TextEmbedding, query: string, dictionary: string | null): number {
  if (language === undefined) return WEIGHTS.anyLanguage;
  const detected = detectLanguage(query, FEWEST_LETTERS);
  const own = detected === null ? (dictionary ?? dictionaryOf(language)) : dictionaryOf(detected);
  return own === dictionaryOf(language) && isLatin(query) ? WEIGHTS.oneLanguage : WEIGHTS.foreign;
}

/** Whether most letters are Latin, as in all languages with single-language models. */
function isLatin(text: string): boolean {
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin * 2 >= (text.match(/\p{L}/gu)?.length ?? 0);
}

/**
 * The first chunks of the tenant's live documents that are similar enough. The index has few others, so one query
 * usually suffices.
 */
async function readHits(
  { em, chunkVectors }: ChunkSearchDeps,
  tenantId: string,
  { order, meaning }: { order: readonly string[]; meaning: Meaning | undefined },
  { limit, threshold, deadline }: ChunkSearch & { deadline: SearchDeadline },
): Promise<ChunkHit[]> {
  const similarities = new Map(meaning?.similarities);
  const isNear = (id: string) => threshold === 0 || (similarities.get(id) ?? 0) >= threshold;
  const left = order.filter((id) => isNear(id) || !similarities.has(id));
  const hits: ChunkHit[] = [];
  while (left.length > 0 && hits.length < limit) {
    const ids = left.splice(0, readAtOnce(limit));
    const unknown = ids.filter((id) => !similarities.has(id));
    const [rows] = await Promise.all([
      deadline.read(em, (tx) => readRows(tx, tenantId, ids)),
      meaning && unknown.length > 0 && compare(meaning.vector, unknown),
    ]);
    for (const id of ids) {
      const row = rows.get(id);
      if (row && isNear(id)) hits.push({ ...row, similarity: similarities.get(id) ?? null });
    }
  }
  return hits.slice(0, limit);

  async function compare(query: readonly number[], ids: readonly string[]): Promise<void> {
    const found = chunkVectors.findMany({ tenantId, ids });
    const vectors = await inTime(found, AbortSignal.timeout(deadline.left()), () => deadline.passed());
    for (const id of ids) similarities.set(id, similarity(query, vectors.get(id)));
  }
}

async function readRows(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Omit<ChunkHit, 'similarity'>>> {
  const rows = await em.execute<Omit<ChunkHit, 'similarity'>[]>(
    `select chunk.id, chunk.file_id as "documentId", file.filename, file.media_type as "mediaType",
       file.source_url as "sourceUrl", chunk.chunk_index as index, chunk.content, chunk.page_numbers as "pageNumbers",
       chunk.heading_path as "headingPath", chunk.chunk_type as type
     from document_chunks chunk join files file on file.id = chunk.file_id
     where chunk.id in (${ids.map(() => '?').join(', ')}) and chunk.tenant_id = ? and file.tenant_id = ?
       and file.deleted_at is null`,
    [...ids, tenantId, tenantId],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function similarity(query: readonly number[], vector: readonly number[] | undefined): number | null {
  return vector ? share(cosine(query, vector)) : null;
}

/** Negative similarities count as 0, like unrelated texts. */
function share(cosineSimilarity: number): number {
  return Math.round(Math.min(1, Math.max(0, cosineSimilarity)) * 10_000) / 10_000;
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  const lengths = Math.hypot(...a) * Math.hypot(...b);
  return lengths === 0 ? 0 : dot / lengths;
}
