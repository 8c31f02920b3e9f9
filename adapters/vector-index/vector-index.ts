import { setTimeout as delay } from 'node:timers/promises';

/**
 * - `VECTOR_INVALID`: an id, a vector or a limit is invalid; not retryable
 * - `VECTOR_COLLECTION_MISMATCH`: the stored collection has another dimension; the model changed, but not the name
 * - `VECTOR_INDEX_UNAVAILABLE`: no answer, or not a usable one; retryable
 */
export type VectorIndexErrorCode =
  | 'VECTOR_INVALID'
  | 'VECTOR_COLLECTION_MISMATCH'
  | 'VECTOR_INDEX_UNAVAILABLE';

/** A failure of the vector index. The message is safe to show; the cause is for operators. */
export class VectorIndexError extends Error {
  override readonly name = 'VectorIndexError';
  readonly code: VectorIndexErrorCode;

  constructor(code: VectorIndexErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Whether a call failed because LanceDB did not find a file of the collection. */
export function isFileMissing(error: unknown): boolean {
  const cause = error instanceof VectorIndexError ? error.cause : undefined;
  return cause instanceof Error && /not found: /i.test(cause.message);
}

/** @throws VectorIndexError when a stored collection has another dimension than the requested one */
export function checkStoredDimension(
  collection: string,
  stored: number | undefined,
  dimension: number,
): void {
  if (stored === dimension) return;
  throw new VectorIndexError(
    'VECTOR_COLLECTION_MISMATCH',
    `collection ${collection} holds vectors of ${stored ?? 'no known'} dimensions, not ${dimension}`,
  );
}

/** Health checks run often and must never hang: a slower index counts as down. */
const READY_MS = 2_000;

/** Waits for an index to answer, for two seconds at most. A late answer is ignored. */
export async function withTimeout(answer: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = delay(READY_MS, true, { signal: timer.signal }).catch(() => true);
  try {
    if (await Promise.race([answer.then(() => false), late])) {
      throw new VectorIndexError(
        'VECTOR_INDEX_UNAVAILABLE',
        `the vector index did not answer within ${READY_MS / 1000} seconds`,
      );
    }
  } finally {
    timer.abort();
  }
}

/** Vectors of one model. */
export interface VectorCollection {
  /** From collectionName. */
  collection: string;
  dimension: number;
  /** Whether searches are limited to some files. */
  searchedByFile?: boolean;
}

/**
 * Accounts with fewer vectors are searched exactly, by comparing all. With more, an approximate index takes less time, which
 * also costs its share of each write.
 */
export const LARGE_TENANT = 8_000;

/** One vector with the few fields that searches filter on. All other data is in Postgres, under `fileId`. */
export interface VectorPoint {
  /** UUID, derived from what the vector represents: writing it again replaces it. */
  id: string;
  /** Finite numbers, one per dimension of the collection, stored with length 1. A zero vector is unrelated to all. */
  vector: readonly number[];
  /** UUID. */
  tenantId: string;
  /** UUID of the file. */
  fileId: string;
  /** Kind of embedded content: `image`, `chunk`. */
  kind: string;
}

export interface VectorQuery {
  vector: readonly number[];
  /** UUID; no point of another tenant is ever a hit. */
  tenantId: string;
  /** Maximum number of hits, 1–1000. */
  limit: number;
  filter?: {
    /** Only these files; an empty list finds nothing. */
    fileIds?: readonly string[];
    excludeFileId?: string;
  };
}

export interface VectorComparison {
  tenantId: string;
  fileIds: readonly string[];
  ids: readonly string[];
  vector: readonly number[];
}

export interface VectorHit {
  id: string;
  fileId: string;
  /** Cosine similarity, −1 opposite – 1 same direction. */
  score: number;
}

/**
 * Nearest vectors of one collection. The index is never authoritative: callers check every hit against Postgres.
 *
 * A missing or wiped collection reads as empty and is created by the next write. Every method throws VectorIndexError.
 */
export interface VectorIndex {
  /** Resolves when the index answers; throws `VECTOR_INDEX_UNAVAILABLE` after two seconds without an answer. */
  ready(): Promise<void>;
  /** Creates the collection; an existing one of another dimension is refused. Idempotent, also under concurrency. */
  ensureCollection(): Promise<void>;
  /** Writes or replaces by id, searchable when it resolves. Of equal ids in one call the last one wins. */
  upsert(points: readonly VectorPoint[]): Promise<void>;
  /** The vector of one point, possibly scaled; undefined when there is none of this id and tenant. */
  find(target: { tenantId: string; id: string }): Promise<number[] | undefined>;
  /** The vectors of points by id, possibly scaled; those of another tenant, and ids without one, are missing. */
  findMany(target: { tenantId: string; ids: readonly string[] }): Promise<Map<string, number[]>>;
  /**
   * Cosine similarities of a vector to points by id, each in one of these files; without those of another tenant, and ids
   * that have none.
   */
  compare(target: VectorComparison): Promise<Map<string, number>>;
  /** Best first. Exact among given files, and for accounts below LARGE_TENANT; for others, some far hits may be missing. */
  search(query: VectorQuery): Promise<VectorHit[]>;
  /** Removes all vectors of these files and returns how many there were. */
  remove(target: { tenantId: string; fileIds: readonly string[] }): Promise<number>;
  /** Removes points by id; those of another tenant stay. */
  removePoints(target: { tenantId: string; ids: readonly string[] }): Promise<void>;
  /** Counts the vectors of all tenants, of one, or of some files of one. */
  count(scope?: { tenantId: string; fileIds?: readonly string[] }): Promise<number>;
  /**
   * Builds what searches of large accounts need, if it is missing; searches and writes go on meanwhile. This may take
   * minutes. It is to be repeated now and then, since accounts grow, and if it fails.
   */
  maintain(): Promise<void>;
  /**
   * Removes the collection if files of it are missing, as after its folder was deleted during a write: every call that
   * needs them fails. It reads the ids of all vectors, so call it when something has failed, see `isFileMissing`.
   *
   * @returns whether it was removed
   */
  repair(): Promise<boolean>;
  /** Removes the collection with all its vectors; one that is gone is no error. */
  drop(): Promise<void>;
  close(): Promise<void>;
}
