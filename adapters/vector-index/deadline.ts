import { setTimeout as delay } from 'node:timers/promises';
import { VectorIndexError } from './vector-index-error.ts';

/** Health checks run often and must never hang: a slower index counts as down. */
const READY_MS = 2_000;

/** Waits for an index to answer, for two seconds at most. A late answer is ignored. */
export async function answersInTime(answer: Promise<unknown>): Promise<void> {
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
