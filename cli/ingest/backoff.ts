const FIRST_MS = 500;
const MOST_MS = 30_000;

/**
 * Delay before the next try: doubling, with jitter in its upper half, so that many clients do not
 * come back together.
 *
 * @param failures    in a row, from 1
 * @param retryAfterMs what the server asked for, as a minimum
 * @param chance      from 0 to 1
 */
export function pauseMs(failures: number, retryAfterMs = 0, chance = Math.random()): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  const own = ceiling / 2 + (ceiling / 2) * chance;
  return retryAfterMs > 0 ? retryAfterMs + Math.min(own, 1000) * chance : own;
}

/** The header, which is in seconds or a date. */
export function retryAfterMs(header: string | null, now = Date.now()): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
