const FIRST_MS = 500;
const MOST_MS = 30_000;

/**
 * Exponential backoff with jitter in the upper half, so that clients do not retry in sync.
 *
 * @param failures     consecutive failures, from 1
 * @param retryAfterMs minimum requested by the server
 * @param chance       source of the jitter, from 0 to 1
 */
export function pauseMs(failures: number, retryAfterMs = 0, chance = Math.random()): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  const own = ceiling / 2 + (ceiling / 2) * chance;
  return retryAfterMs > 0 ? retryAfterMs + Math.min(own, 1000) * chance : own;
}
