/** Longer delays are capped: after an hour the call is retried anyway. */
const LONGEST_SECONDS = 3600;

/**
 * Parses a `Retry-After` header, given in seconds or as an HTTP date (RFC 9110 §10.2.3).
 *
 * @param now milliseconds since 1970
 * @returns 0–3600, whole seconds rounded up; undefined for a missing or malformed header
 */
export function retryAfterSeconds(header: string | null | undefined, now = Date.now()): number | undefined {
  if (!header?.trim()) return undefined;
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? (Date.parse(header) - now) / 1000 : seconds;
  if (Number.isNaN(wait)) return undefined;
  return Math.ceil(Math.min(Math.max(wait, 0), LONGEST_SECONDS));
}
