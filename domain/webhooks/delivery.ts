/**
 * `pending` until it is admitted to the engine, `sending` since then, `retrying` after a failed attempt; `failed` after
 * the last one, `cancelled` when its subscription was deleted or disabled first.
 */
export const DELIVERY_STATUSES = [
  'pending',
  'sending',
  'retrying',
  'delivered',
  'failed',
  'cancelled',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The delay before each attempt, in milliseconds after the one before: about three days in all. */
const DELAYS_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
export const MAX_ATTEMPTS = DELAYS_MS.length;
/** A delay is longer by up to this share, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;
/** A receiver that asks for more time waits no longer than the longest delay. */
const MAX_RETRY_AFTER_MS = DAY;

/**
 * Milliseconds until the next attempt, after this many failed ones; undefined after the last.
 *
 * @param random in [0, 1)
 * @param retryAfterMs what the receiver asked for; never shortens a delay
 */
export function delayOfNextAttempt(
  failedAttempts: number,
  random: number,
  retryAfterMs = 0,
): number | undefined {
  const delay = DELAYS_MS[failedAttempts];
  if (delay === undefined) return undefined;
  return Math.max(Math.round(delay * (1 + JITTER * random)), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

const DISABLED_AFTER_DAYS = 3;
/** Shown as the reason of a subscription that was disabled by `isHopeless`. */
export const HOPELESS = `every attempt has failed for ${DISABLED_AFTER_DAYS} days`;

/**
 * Whether a subscription is disabled: no attempt of any of its deliveries has succeeded for three days.
 *
 * @param failingSince when the first failed attempt after the last success ended
 */
export function isHopeless(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= DISABLED_AFTER_DAYS * DAY;
}
