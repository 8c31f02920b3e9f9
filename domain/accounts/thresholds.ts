/** Shares of the monthly credits whose use is announced, in percent. */
const USAGE_THRESHOLDS = [80, 100] as const;

/**
 * The thresholds at or below a use of credits.
 *
 * @param limit credits of the month, not unlimited
 */
export function thresholdsReached(limit: number, used: number): number[] {
  return limit === 0 ? [] : USAGE_THRESHOLDS.filter((threshold) => used * 100 >= limit * threshold);
}
