/** Search of chunks by words and by meaning. The file is long because words, vectors and ratings share one ranking and one deadline. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { unrelatedSimilarity } from '../../adapters/models/text-embedding/unrelated-similarity.ts';
import type { PassageRanker } from '../../adapters/models/passage-ranking/passage-ranker.ts';
import type { MeaningWeight, TextEmbedding } from '../../adapters/models/text-embedding/text-embedding.ts';
import { HostEnded } from '../../engines/hosts/host.ts';
import { ModelError } from '../../adapters/models/model-error.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { AppError } from '../../domain/app-error.ts';
import type { ChunkRole } from '../../domain/documents/split-element.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';
import type { MediaType } from '../../domain/media.ts';
import { fuseScores, type ScoredId } from '../../domain/search.ts';
import { share } from '../../domain/similarity.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isAway, MEANING_SHARE } from '../files/search-by-meaning.ts';
import { SearchDeadline } from '../files/search-deadline.ts';
import { detectLanguage } from 'darkroom-reader/language';
import { locateElements, type LocatedElement } from './locate-elements.ts';
import { findByWords, type FoundByWords } from './find-by-words.ts';
import { embeddedText } from './index-chunks.ts';

export interface ChunkSearchDeps {
  em: EntityManager;
  textEmbedding: TextEmbedding;
  chunkVectors: VectorIndex;
  /** Needed to rerank. */
  ranker?: PassageRanker;
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
  /** Restricts the search to files in these folders, which should have many: few in many others may not be near enough. */
  folderIds?: readonly string[] | undefined;
  /** Restricts the search to files of these media. */
  mediaTypes?: readonly MediaType[] | undefined;
  /** Whether the best hits are put in the order of how surely each answers the query. */
  rerank?: boolean | undefined;
  /** Time limit of the whole search. */
  timeoutMs: number;
}

export interface ChunkHits {
  hits: ChunkHit[];
  /** `words` when the query model or the index could not be reached. */
  rankedBy: 'meaning_and_words' | 'words';
  /** Whether a model has put them in order. */
  reranked: boolean;
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
  role: ChunkRole;
  elements: LocatedElement[];
  /** Cosine similarity of chunk and query, 0–1, also for a hit by words; null while the chunk has no vector. */
  similarity: number | null;
  /** The measure by which hits are ordered, 0–1: its words and its similarity together. */
  score: number;
}

/** The nearest chunks that are ranked. */
const NEAREST = 100;
/** Candidates where only some media or folders are asked for: entries of the index name neither. */
const NEAREST_OF_ALL = 1000;
/** The best chunks by words that are ranked; their similarities are looked up. */
const BEST_BY_WORDS = 50;
/** Minimum for language detection by letters; in shorter queries, stop words are the better evidence. */
const FEWEST_LETTERS = 33;
/**
 * The weight of a model that was not measured. On the development questions of `npm run quality:documents`, every weight
 * from 0.3 to 2 is about as good for the English model of the package. If the best chunk scores less than `near`, nothing
 * is near: each development question has a better one, and of 24 questions about other subjects, eight have none.
 */
const USUAL_WEIGHT: MeaningWeight = { withoutWords: 1, withWords: 1, near: 0.22 };
/** Of a single-language model, which knows little of other languages. */
const FOREIGN_WEIGHT = 0.3;
/** Hits that a model puts in order; each takes it up to 90 ms. */
const MOST_RERANKED = 16;
/** Share of the time limit after which the order of the search stays. */
const RERANKING_SHARE = 0.9;
/** Candidates read at a time: a few more than requested. */
const readAtOnce = (limit: number): number => Math.max(2 * limit, 20);
const RETRY_AFTER_SECONDS = 5;

/**
 * Chunks of a tenant's live documents that match a query, best first: nearest vectors and chunks with its words, in the
 * forms of their language, ranked by the sum of both scores. None if nothing is near. Every hit is read from its row,
 * which alone has its tenant and deletion.
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
  const { query, documentIds, folderIds, mediaTypes, threshold, timeoutMs } = search;
  if (documentIds?.length === 0) return { hits: [], rankedBy: 'meaning_and_words', reranked: false };
  const deadline = new SearchDeadline(timeoutMs);
  const words = deadline.read(em, (tx) =>
    findByWords(tx, tenantId, { query, documentIds, folderIds, mediaTypes }, NEAREST, deadline),
  );
  // Awaited below, after the vectors.
  words.catch(() => undefined);
  const near = deadline.within(MEANING_SHARE, (late) =>
    findByMeaning(deps, tenantId, search, { words, late, deadline }),
  );
  const meaning = await near.catch((error: unknown) => {
    if (threshold > 0 || !isAway(error)) throw error;
    deps.onDegraded(error);
    return undefined;
  });
  const { hits: byWords, dictionary } = await words;
  const { near: least } = textEmbedding.weight ?? USUAL_WEIGHT;
  const weight = similarityWeight(textEmbedding, query, { dictionary, bestByWords: byWords[0]?.score ?? 0 });
  const scored = fuseScores(byWords, meaning && { ...meaning, weight });
  const isNear = !meaning || (scored[0]?.score ?? 0) >= least;
  const ranked = isNear ? scored : [];
  const limit = search.rerank ? Math.max(search.limit, MOST_RERANKED) : search.limit;
  const read = await readHits(deps, tenantId, { ranked, meaning, byWords }, { ...search, limit, deadline });
  const reranked = search.rerank ? await rerank(deps, query, { hits: read, deadline }) : undefined;
  const found = (reranked ?? read).slice(0, search.limit);
  const located = await deadline.read(em, (tx) => locateElements(tx, tenantId, found));
  const hits = found.map((hit) => ({ ...hit, elements: located.get(hit.id) ?? [] }));
  return { hits, rankedBy: meaning ? 'meaning_and_words' : 'words', reranked: reranked !== undefined };
}

/**
 * The hits, of which the best are put in order with the help of a model that reads the query with each; those that follow keep their order and
 * score less. Undefined without the model, or if it takes too long.
 */
async function rerank(
  { ranker, onDegraded }: ChunkSearchDeps,
  query: string,
  { hits, deadline }: { hits: readonly FoundHit[]; deadline: SearchDeadline },
): Promise<FoundHit[] | undefined> {
  const best = hits.slice(0, MOST_RERANKED);
  const texts = best.map(embeddedText);
  const ratings = await deadline
    .within(RERANKING_SHARE, async (late) => ranker?.rate(query, texts, late))
    .catch((error: unknown) => {
      if (!isAway(error)) throw error;
      onDegraded(error);
      return undefined;
    });
  if (!ratings) return undefined;
  const rated = best.map((hit, at) => ({ ...hit, score: mixed(hit.score, ratings[at] ?? 0) }));
  const sorted = rated.toSorted((one, other) => other.score - one.score);
  const least = sorted.at(-1)?.score ?? 0;
  const others = hits.slice(MOST_RERANKED).map((hit) => ({ ...hit, score: Math.min(least, hit.score) }));
  return [...sorted, ...others];
}

/**
 * On the development questions, ratings alone answer fewer among the first five hits (75 of 129) than the scores of the search
 * (88), and this mean 90.
 */
const mixed = (score: number, rating: number): number => 0.75 * score + 0.25 * rating;

type FoundHit = Omit<ChunkHit, 'elements'>;

/** The result of the vector search. */
interface Meaning {
  vector: readonly number[];
  /** Of which similarities are shares. */
  scale: number;
  /** Similarities of the nearest chunks and of the best by words; null for a chunk without a vector. */
  similarities: Map<string, number | null>;
  /** Similarity that means nothing. */
  unrelated: number;
}

async function findByMeaning(
  { em, textEmbedding, chunkVectors }: ChunkSearchDeps,
  tenantId: string,
  { query, documentIds, folderIds, mediaTypes }: ChunkSearch,
  { words, late, deadline }: { words: Promise<FoundByWords>; late: AbortSignal; deadline: SearchDeadline },
): Promise<Meaning> {
  const { vector, unrelated } = await embedQuery(textEmbedding, query, late);
  const scale = textEmbedding.mostSimilar ?? 1;
  const compared = words.then(({ hits }) =>
    compare(chunkVectors, { tenantId, vector, scale }, hits.slice(0, BEST_BY_WORDS)),
  );
  // Awaited below.
  compared.catch(() => undefined);
  const isSelected = mediaTypes !== undefined || folderIds !== undefined;
  const found = await chunkVectors.search({
    vector,
    tenantId,
    limit: isSelected ? NEAREST_OF_ALL : NEAREST,
    ...(documentIds && { filter: { fileIds: documentIds } }),
  });
  const own =
    isSelected && (await deadline.read(em, (tx) => selected(tx, tenantId, found, { mediaTypes, folderIds })));
  const near = own ? found.filter(({ fileId }) => own.has(fileId)).slice(0, NEAREST) : found;
  return {
    vector,
    scale,
    unrelated,
    similarities: new Map([
      ...(await compared),
      ...near.map(({ id, score }) => [id, share(score / scale)] as const),
    ]),
  };
}

async function embedQuery(
  textEmbedding: TextEmbedding,
  query: string,
  late: AbortSignal,
): Promise<Pick<Meaning, 'vector' | 'unrelated'>> {
  try {
    const [vector = []] = await textEmbedding.embed([query], { role: 'query', signal: late });
    return { vector, unrelated: await unrelatedSimilarity(textEmbedding) };
  } catch (error) {
    if (!(error instanceof ModelError || error instanceof HostEnded)) throw error;
    const { message, retryAfterSeconds = RETRY_AFTER_SECONDS } =
      error instanceof ModelError ? error : { message: 'the process of the search model ended' };
    throw new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds }, { cause: error });
  }
}

/** Which of these files are of the media and in the folders, if any are given. */
async function selected(
  tx: EntityManager,
  tenantId: string,
  hits: readonly { fileId: string }[],
  { mediaTypes, folderIds }: Pick<ChunkSearch, 'mediaTypes' | 'folderIds'>,
): Promise<Set<string>> {
  const ids = [...new Set(hits.map(({ fileId }) => fileId))];
  const where = {
    id: { $in: ids },
    tenantId,
    ...(mediaTypes && { mediaType: { $in: [...mediaTypes] } }),
    ...(folderIds && { folderId: { $in: [...folderIds] } }),
  };
  const files = await tx.find(StoredFile, where, { fields: ['id'] });
  return new Set(files.map(({ id }) => id));
}

/**
 * The weight of similarities, where that of words is 1: more, the fewer words of the query the best chunk has. A
 * single-language model counts less for a query in another language, judged by its words or script.
 */
function similarityWeight(
  { language, weight = USUAL_WEIGHT }: TextEmbedding,
  query: string,
  { dictionary, bestByWords }: { dictionary: string | null; bestByWords: number },
): number {
  const { withoutWords, withWords } = weight;
  const own = withoutWords + (withWords - withoutWords) * Math.min(1, bestByWords);
  if (language === undefined) return own;
  const detected = detectLanguage(query, FEWEST_LETTERS);
  const found = detected === null ? (dictionary ?? dictionaryOf(language)) : dictionaryOf(detected);
  return found === dictionaryOf(language) && isLatin(query) ? own : FOREIGN_WEIGHT;
}

/** Whether most letters are Latin, as in all languages with single-language models. */
function isLatin(text: string): boolean {
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin * 2 >= (text.match(/\p{L}/gu)?.length ?? 0);
}

/**
 * The first chunks of the tenant's live documents that are similar enough, contents and indexes last. The index has few others, so one query
 * usually suffices.
 */
async function readHits(
  { em, chunkVectors }: ChunkSearchDeps,
  tenantId: string,
  {
    ranked,
    meaning,
    byWords,
  }: { ranked: readonly ScoredId[]; meaning: Meaning | undefined; byWords: FoundByWords['hits'] },
  { limit, threshold, deadline }: ChunkSearch & { deadline: SearchDeadline },
): Promise<FoundHit[]> {
  const similarities = new Map(meaning?.similarities);
  const isNear = (id: string) => threshold === 0 || (similarities.get(id) ?? 0) >= threshold;
  const scores = new Map(ranked.map(({ id, score }) => [id, score]));
  const left = ranked.map(({ id }) => id).filter((id) => isNear(id) || !similarities.has(id));
  const hits: FoundHit[] = [];
  const navigation: FoundHit[] = [];
  while (left.length > 0 && hits.length < limit) {
    const ids = left.splice(0, readAtOnce(limit));
    // All others were found by their similarity.
    const unknown = byWords.filter(({ id }) => ids.includes(id) && !similarities.has(id));
    const [rows, compared = []] = await Promise.all([
      deadline.read(em, (tx) => readRows(tx, tenantId, ids)),
      meaning && deadline.within(1, () => compare(chunkVectors, { ...meaning, tenantId }, unknown)),
    ]);
    for (const [id, score] of compared) similarities.set(id, score);
    for (const id of ids) {
      const row = rows.get(id);
      if (!row || !isNear(id)) continue;
      const list = row.role === 'body' ? hits : navigation;
      list.push({ ...row, similarity: similarities.get(id) ?? null, score: share(scores.get(id) ?? 0) });
    }
  }
  return [...hits, ...navigation].slice(0, limit);
}

/** The similarities of these chunks to the query; null for a chunk without a vector. */
async function compare(
  chunkVectors: VectorIndex,
  { tenantId, vector, scale }: { tenantId: string } & Pick<Meaning, 'vector' | 'scale'>,
  hits: FoundByWords['hits'],
): Promise<[string, number | null][]> {
  if (hits.length === 0) return [];
  const ids = hits.map(({ id }) => id);
  const fileIds = [...new Set(hits.map(({ fileId }) => fileId))];
  const scores = await chunkVectors.compare({ tenantId, fileIds, ids, vector });
  return ids.map((id) => {
    const score = scores.get(id);
    return [id, score === undefined ? null : share(score / scale)];
  });
}

async function readRows(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Omit<FoundHit, 'similarity' | 'score'>>> {
  const rows = await em.execute<Omit<FoundHit, 'similarity' | 'score'>[]>(
    `select chunk.id, chunk.file_id as "documentId", file.filename, file.media_type as "mediaType",
       file.source_url as "sourceUrl", chunk.chunk_index as index, chunk.content, chunk.page_numbers as "pageNumbers",
       chunk.heading_path as "headingPath", chunk.chunk_type as type,
       chunk.role
     from document_chunks chunk join files file on file.id = chunk.file_id
     where chunk.id in (${ids.map(() => '?').join(', ')}) and chunk.tenant_id = ? and file.tenant_id = ?
       and file.deleted_at is null`,
    [...ids, tenantId, tenantId],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
