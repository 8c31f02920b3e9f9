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
