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
