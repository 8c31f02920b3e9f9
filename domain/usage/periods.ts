/** Hours, days and months of usage are in UTC, so all days have 24 hours. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** `from` inclusive, `to` exclusive. */
export interface TimeRange {
  from: Date;
  to: Date;
}

/** The beginning of the hour that contains a time. */
export function hourOf(moment: Date): Date {
  return floor(moment, HOUR_MS);
}

/** The beginning of the day that contains a time. */
export function dayOf(moment: Date): Date {
  return floor(moment, DAY_MS);
}

/** The beginning of the month that contains a time, or of one `monthsLater` months later. */
export function monthOf(moment: Date, monthsLater = 0): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + monthsLater, 1));
}

function floor(moment: Date, unit: number): Date {
  return new Date(Math.floor(moment.getTime() / unit) * unit);
}

export const SUMMARY_PERIODS = ['day', 'week', 'month'] as const;
type SummaryPeriod = (typeof SUMMARY_PERIODS)[number];
export const BILLING_PERIODS = ['month', 'quarter', 'year'] as const;
export type BillingPeriod = (typeof BILLING_PERIODS)[number];
export const BUCKETS = ['hour', 'day', 'month'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** ISO 8601: weeks begin on Monday. */
const MONDAY = 1;

/** The beginning of the period (UTC) that contains a time. */
export function startOf(period: SummaryPeriod | BillingPeriod, moment: Date): Date {
  const month = moment.getUTCMonth();
  switch (period) {
    case 'day':
      return dayOf(moment);
    case 'week':
      return new Date(dayOf(moment).getTime() - ((moment.getUTCDay() - MONDAY + 7) % 7) * DAY_MS);
    case 'month':
      return monthOf(moment);
    case 'quarter':
      return monthOf(moment, -(month % 3));
    case 'year':
      return monthOf(moment, -month);
  }
}

const MONTHS_OF: Readonly<Record<BillingPeriod, number>> = { month: 1, quarter: 3, year: 12 };

/** The calendar month, quarter or year (UTC) that contains a time. */
export function billingPeriod(period: BillingPeriod, moment: Date): TimeRange {
  const from = startOf(period, moment);
  return { from, to: monthOf(from, MONTHS_OF[period]) };
}

/** The beginning of the bucket that contains a time. */
export function bucketOf(bucket: Bucket, moment: Date): Date {
  if (bucket === 'month') return monthOf(moment);
  return bucket === 'day' ? dayOf(moment) : hourOf(moment);
}

/** The beginnings of all buckets that overlap a range, in order. */
export function bucketsIn(bucket: Bucket, { from, to }: TimeRange): Date[] {
  const starts: Date[] = [];
  for (let at = bucketOf(bucket, from); at < to; at = after(bucket, at)) starts.push(at);
  return starts;
}

/** The label of a bucket: `2026-11-22 07:00`, `2026-11-22`, `2026-11`. */
export function labelOf(bucket: Bucket, start: Date): string {
  const text = start.toISOString();
  if (bucket === 'month') return text.slice(0, 7);
  return bucket === 'day' ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ');
}

function after(bucket: Bucket, start: Date): Date {
  if (bucket === 'month') return monthOf(start, 1);
  return new Date(start.getTime() + (bucket === 'day' ? DAY_MS : HOUR_MS));
}
