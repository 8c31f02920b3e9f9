import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageEmbedding } from '../../adapters/models/image-embedding/image-embedding.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { share, similarity } from '../../domain/similarity.ts';
import { isAway, MEANING_SHARE } from '../files/search-by-meaning.ts';
import type { SearchDeadline } from '../files/search-deadline.ts';
import { findFilesByWords, type FileWords } from './find-files-by-words.ts';
import { MEDIA_IN_INDEX, pointId } from './index-images.ts';

export interface TextSearchDeps {
  em: EntityManager;
  /** The model of the vectors in the index. */
  embedding: Pick<ImageEmbedding, 'model' | 'embedText'>;
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
  /** Cosine similarity of image and query, 0–1, also of a file found by words; null without a vector of the file. */
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
 * The nearest images are hits however far they are: no distance separates what a model recognises from what it does not.
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
  return {
    near: near.map(({ fileId }) => fileId),
    similarities: new Map([
      ...[...named].map(([point, own]) => [idOf.get(point) ?? '', similarity(vector, own)] as const),
      ...near.map(({ fileId, score }) => [fileId, share(score)] as const),
    ]),
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
