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
/** Known to the engine: a `pending` delivery is only a row. */
export const ADMITTED_STATUSES: readonly DeliveryStatus[] = ['sending', 'retrying'];

export function isAdmitted(status: DeliveryStatus): boolean {
  return ADMITTED_STATUSES.includes(status);
}

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

/**
 * Milliseconds until the next attempt, after this many failed ones; undefined after the last.
 *
 * @param random in [0, 1)
 */
export function delayOfNextAttempt(failedAttempts: number, random: number): number | undefined {
  const delay = DELAYS_MS[failedAttempts];
  return delay === undefined ? undefined : Math.round(delay * (1 + JITTER * random));
}

/**
 * Deliveries that are sent at a time; all others wait as rows. A receiver that hangs holds one request for each. Those
 * that wait for their next attempt do not count: a receiver may refuse one type of event and be well otherwise.
 */
const MAX_SENDING = { aSubscription: 20, aTenant: 40 } as const;
/** A receiver that has failed for this long without a success gets one new delivery in each interval. */
const FAILING_AFTER_MS = MINUTE;
const PROBE_INTERVAL_MS = MINUTE;

/**
 * How the attempts at a receiver go: those of a subscription, or of all webhooks of single requests of a tenant that name
 * the same host.
 */
export interface ReceiverHealth {
  /** When the first failed attempt after the last success ended; null while attempts succeed. */
  failingSince: Date | null;
  lastDispatchedAt: Date | null;
}

/** How many deliveries a receiver may have at a time: fewer while it fails. */
export function allowance({ failingSince, lastDispatchedAt }: ReceiverHealth, now: Date): number {
  const since = (earlier: Date | null) => now.getTime() - (earlier?.getTime() ?? 0);
  if (!failingSince || since(failingSince) < FAILING_AFTER_MS) return MAX_SENDING.aSubscription;
  return since(lastDispatchedAt) >= PROBE_INTERVAL_MS ? 1 : 0;
}

/** What decides how many deliveries of a subscription are admitted. */
export interface AdmissionState extends ReceiverHealth {
  /** Deliveries that are being sent: of the subscription, or of all webhooks of single requests if it is one. */
  sending: number;
  /** Those of all subscriptions of the tenant. */
  sendingOfTenant: number;
}

/** How many more deliveries of a tenant may be sent now; not positive for none. */
export function admissibleOfTenant(sendingOfTenant: number): number {
  return MAX_SENDING.aTenant - sendingOfTenant;
}

/** How many more deliveries of a subscription may be sent now; not positive for none. */
export function admissible({ sending, sendingOfTenant, ...health }: AdmissionState, now: Date): number {
  const room = Math.min(MAX_SENDING.aSubscription - sending, admissibleOfTenant(sendingOfTenant));
  return Math.min(room, allowance(health, now));
}

/** Answered by a receiver that wants no events any more: 410. */
export const GONE_STATUS = 410;
/** Shown as the reason of a subscription whose receiver answered so. */
export const GONE = 'the receiver answered 410: it is gone';

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
