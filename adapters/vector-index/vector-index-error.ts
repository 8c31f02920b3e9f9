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

/** A failure of the vector index. The message is safe to show, the cause is for operators. */
export class VectorIndexError extends Error {
  override readonly name = 'VectorIndexError';
  readonly code: VectorIndexErrorCode;

  constructor(code: VectorIndexErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
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
