/** A value at a time. */
export interface Point {
  minute: number;
  value: number;
}

export interface Slope {
  /** Per hour, in the unit of the values. */
  perHour: number;
  /** Half the width of the 95 % interval. */
  error: number;
}

const MINUTES = 60;
const LEAST_POINTS = 5;
const MOST_CORRELATION = 0.9;

/**
 * The slope of the least-squares line. Values of neighbouring minutes are correlated, so the error assumes fewer
 * independent values, according to the lag-1 autocorrelation of the residuals.
 *
 * @returns undefined for too few points
 */
export function fitSlope(points: readonly Point[]): Slope | undefined {
  if (points.length < LEAST_POINTS) return undefined;
  const [meanMinute, meanValue] = [mean(points.map((p) => p.minute)), mean(points.map((p) => p.value))];
  const spread = sum(points.map((p) => (p.minute - meanMinute) ** 2));
  if (spread === 0) return undefined;
  const rise = sum(points.map((p) => (p.minute - meanMinute) * (p.value - meanValue))) / spread;
  const residuals = points.map((p) => p.value - meanValue - rise * (p.minute - meanMinute));
  const variance = sum(residuals.map((r) => r ** 2)) / (points.length - 2);
  const correlation = Math.min(MOST_CORRELATION, Math.max(0, successorCorrelation(residuals)));
  const error = 2 * Math.sqrt((variance / spread) * ((1 + correlation) / (1 - correlation)));
  return { perHour: rise * MINUTES, error: error * MINUTES };
}

/** `rises`: above the limit by more than the error. `unclear`: above the limit, but within the error. */
export type Verdict = 'level' | 'rises' | 'unclear';

export function judge({ perHour, error }: Slope, limitPerHour: number): Verdict {
  if (perHour <= limitPerHour) return 'level';
  return perHour - error > limitPerHour ? 'rises' : 'unclear';
}

function successorCorrelation(residuals: readonly number[]): number {
  const all = sum(residuals.map((r) => r ** 2));
  return all === 0 ? 0 : sum(residuals.slice(1).map((r, index) => r * (residuals[index] ?? 0))) / all;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
