/** Hours, days and months of usage are those of UTC, so all days have 24 hours. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** From the first moment, until before the second. */
export interface TimeRange {
  from: Date;
  to: Date;
}

/** The beginning of the hour that contains a moment. */
export function hourOf(moment: Date): Date {
  return floor(moment, HOUR_MS);
}

/** The beginning of the day that contains a moment. */
export function dayOf(moment: Date): Date {
  return floor(moment, DAY_MS);
}

/** The beginning of the month that contains a moment, or of one so many months later. */
export function monthOf(moment: Date, monthsLater = 0): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + monthsLater, 1));
}

function floor(moment: Date, unit: number): Date {
  return new Date(Math.floor(moment.getTime() / unit) * unit);
}
