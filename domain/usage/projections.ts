import { UNLIMITED } from '../accounts/tiers.ts';
import { DAY_MS, type TimeRange } from './periods.ts';

/** Number of days in each of the two periods that the trend compares. */
const TREND_DAYS = 7;
/** Smaller relative changes of the average are not a trend. */
const TREND_SHARE = 0.1;

export type Trend = 'increasing' | 'stable' | 'decreasing';

export interface CreditFacts {
  /** Credits of the current month, reserved or spent. */
  used: number;
  /** -1 means unlimited. */
  limit: number;
  /** Credits of the last 7 × 24 hours, and of the 7 × 24 hours before. */
  lastWeek: number;
  weekBefore: number;
}

export interface Projection {
  /** Projected use of credits at the end of the month. */
  projected: number;
  trend: Trend;
  willExceed: boolean;
  /** Share of the limit in percent; 0 without a limit. */
  projectedPercentage: number;
}

/** Projects the credits of a month, and compares them with its limit. */
export function projectMonth(
  { used, limit, lastWeek, weekBefore }: CreditFacts,
  month: TimeRange,
  now: Date,
): Projection {
  const { projected } = extrapolate(used, month, now);
  return {
    projected,
    trend: trendOf(lastWeek / TREND_DAYS, weekBefore / TREND_DAYS),
    willExceed: limit !== UNLIMITED && projected > limit,
    projectedPercentage: shareOf(projected, limit),
  };
}

/**
 * Extrapolates the use of a month so far, at its daily average, to the end of the month: never below what was used. The
 * first day counts as a whole one, so that one hour of use is not multiplied to a month.
 */
export function extrapolate(
  used: number,
  month: TimeRange,
  now: Date,
): { projected: number; dailyAverage: number } {
  const days = (month.to.getTime() - month.from.getTime()) / DAY_MS;
  const elapsed = Math.min(days, Math.max(1, (now.getTime() - month.from.getTime()) / DAY_MS));
  const dailyAverage = used / elapsed;
  return { projected: Math.max(used, Math.round(dailyAverage * days)), dailyAverage: round(dailyAverage) };
}

/** The two weeks that the trend compares. */
export function trendWeeks(now: Date): { lastWeek: TimeRange; weekBefore: TimeRange } {
  const back = (days: number) => new Date(now.getTime() - days * DAY_MS);
  return {
    lastWeek: { from: back(TREND_DAYS), to: now },
    weekBefore: { from: back(2 * TREND_DAYS), to: back(TREND_DAYS) },
  };
}

/** The used share of a limit, in percent; 0 without a limit. */
export function shareOf(used: number, limit: number): number {
  if (limit === UNLIMITED) return 0;
  if (limit === 0) return used > 0 ? 100 : 0;
  return round((used / limit) * 100);
}

function trendOf(last: number, before: number): Trend {
  if (last > before * (1 + TREND_SHARE)) return 'increasing';
  return last < before * (1 - TREND_SHARE) ? 'decreasing' : 'stable';
}

/** Rounds to two decimals. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
