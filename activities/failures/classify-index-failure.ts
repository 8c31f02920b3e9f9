import { VectorIndexError } from '../../adapters/vector-index/vector-index-error.ts';
import type { FailureClass } from '../attempt.ts';
import { classifyImageFailure } from './classify-image-failure.ts';

/** Classifies failures to compute a vector or to write it to the index. */
export function classifyIndexFailure(error: unknown): FailureClass | undefined {
  if (error instanceof VectorIndexError && error.code !== 'VECTOR_INDEX_UNAVAILABLE') {
    return { kind: 'permanent', code: error.code, message: error.message };
  }
  return classifyImageFailure(error);
}
