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
  /** Called with the reason when only words were searched. */
  onDegraded: (error: unknown) => void;
}

export interface ChunkSearch {
  query: string;
  limit: number;
  /** Least cosine similarity of a hit, 0–1; at 0 also those without a vector are hits. */
  threshold: number;
  /** Only in these documents; unknown and foreign ones have no hits. */
  documentIds?: readonly string[] | undefined;
  /** Time limit of the whole search. */
  timeoutMs: number;
}

export interface ChunkHits {
  hits: ChunkHit[];
  /** `words` when the model of queries or the index could not be reached. */
  rankedBy: 'meaning_and_words' | 'words';
}

export interface ChunkHit {
  id: string;
  documentId: string;
  filename: string;
  index: number;
  content: string;
  pageNumbers: number[];
  headingPath: string[];
  type: string;
  /** Cosine similarity of chunk and query, 0–1, also of a hit that was found by its words; null while it has no vector. */
  similarity: number | null;
}

/** Hits of each kind that are fused. */
const CANDIDATES = 100;
/** The stop words of a shorter query tell more. */
const FEWEST_LETTERS = 33;
/** Of hits by meaning, where those by words count 1. A model of one language places texts of others by chance. */
const WEIGHTS = { anyLanguage: 1, oneLanguage: 0.5, foreign: 0.05 };
/** Candidates that are read at a time: a few more than are wanted. */
const readAtOnce = (limit: number): number => Math.max(2 * limit, 20);
/**
 * Share of the time that the model and the index have to find the nearest chunks; with the rest, hits are found by their
 * words alone.
 */
const MEANING_SHARE = 0.75;
const RETRY_AFTER_SECONDS = 5;

/**
 * Chunks of a tenant's live documents that answer a query, best first: those whose vector is near, and those that have
 * its words, in the forms of their language, fused by reciprocal rank. Every hit is read from its row, which alone knows
 * whose it is and whether it is deleted.
 *
 * Without the model of queries or the index, or while these take too long, hits are found by their words alone. A search with a threshold is refused
 * then: nothing can be compared with it.
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

/** What was found by the vector of a query. */
interface Meaning {
  vector: readonly number[];
  /** Ids of the nearest chunks, nearest first. */
  near: string[];
  /** Of these, and of the best of those that were found by their words; null of one that has no vector. */
  similarities: Map<string, number | null>;
}

async function findByMeaning(
  { textEmbedding, chunkVectors }: ChunkSearchDeps,
  tenantId: string,
  { query, documentIds, limit }: ChunkSearch,
  { words, late }: { words: Promise<FoundByWords>; late: AbortSignal },
): Promise<Meaning> {
  // Words are mostly found before the nearest vectors are.
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

/** What a promise resolves to, or an error once the time for it has passed: the index cannot be told to stop. */
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

/** A model of one language counts less for a query in another, as far as its words or its script tell. */
function vectorWeight({ language }: TextEmbedding, query: string, dictionary: string | null): number {
  if (language === undefined) return WEIGHTS.anyLanguage;
  const detected = detectLanguage(query, FEWEST_LETTERS);
  const own = detected === null ? (dictionary ?? dictionaryOf(language)) : dictionaryOf(detected);
  return own === dictionaryOf(language) && isLatin(query) ? WEIGHTS.oneLanguage : WEIGHTS.foreign;
}

/** Whether most letters are Latin, as in the languages that there are models of one language for. */
function isLatin(text: string): boolean {
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin * 2 >= (text.match(/\p{L}/gu)?.length ?? 0);
}

/**
 * The first that are chunks of live documents of the tenant, and similar enough. Few others are in the index, so that one
 * query mostly does.
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
    `select chunk.id, chunk.file_id as "documentId", file.filename, chunk.chunk_index as index, chunk.content,
       chunk.page_numbers as "pageNumbers", chunk.heading_path as "headingPath", chunk.chunk_type as type
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

/** Opposite directions mean no more than unrelated ones. */
function share(cosineSimilarity: number): number {
  return Math.round(Math.min(1, Math.max(0, cosineSimilarity)) * 10_000) / 10_000;
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  const lengths = Math.hypot(...a) * Math.hypot(...b);
  return lengths === 0 ? 0 : dot / lengths;
}
