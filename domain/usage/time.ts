export const HOUR_MS = 3_600_000;

/** The beginning of the hour that contains a moment, in UTC. */
export function hourOf(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS);
}
