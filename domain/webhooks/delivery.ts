/**
 * `pending` until admitted, then `sending`, `retrying` after a failed attempt; `failed` after the last one,
 * `cancelled` when its subscription was deleted or disabled first.
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
/** Statuses of deliveries that are in progress; a `pending` one is only a row. */
export const ADMITTED_STATUSES: readonly DeliveryStatus[] = ['sending', 'retrying'];

export function isAdmitted(status: DeliveryStatus): boolean {
  return ADMITTED_STATUSES.includes(status);
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The delays between attempts in milliseconds; about three days in total. */
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
/**
 * Maximum random share added to a delay, so that deliveries that failed together are not retried together.
 */
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
 * Maximum number of concurrent deliveries; all others stay pending. A hanging receiver holds one request for
 * each. Deliveries that wait for a retry do not count: a receiver may reject one type of event and otherwise
 * be healthy. As many of a subscription are retried at a time.
 */
export const MAX_SENDING = { aSubscription: 20, aTenant: 40 } as const;
/** A receiver that has failed for this long without a success gets one new delivery per interval. */
const FAILING_AFTER_MS = MINUTE;
const PROBE_INTERVAL_MS = MINUTE;

/**
 * The health of a receiver: of one subscription, or of all webhooks of a tenant's single requests at the same
 * host.
 */
export interface ReceiverHealth {
  /** When the first failed attempt after the last success ended; null while attempts succeed. */
  failingSince: Date | null;
  lastDispatchedAt: Date | null;
}

/** Maximum number of concurrent deliveries to a receiver: fewer while it fails. */
export function allowance({ failingSince, lastDispatchedAt }: ReceiverHealth, now: Date): number {
  const since = (earlier: Date | null) => now.getTime() - (earlier?.getTime() ?? 0);
  if (!failingSince || since(failingSince) < FAILING_AFTER_MS) return MAX_SENDING.aSubscription;
  return since(lastDispatchedAt) >= PROBE_INTERVAL_MS ? 1 : 0;
}

/** The state that determines how many deliveries of a subscription are admitted. */
export interface AdmissionState extends ReceiverHealth {
  /**
   * Number of deliveries being sent: of the subscription, or of all webhooks of single requests if it is one
   * of these.
   */
  sending: number;
  /** Number of deliveries being sent of all subscriptions of the tenant. */
  sendingOfTenant: number;
}

/** Number of further deliveries of a tenant that may be sent now; none if not positive. */
export function admissibleOfTenant(sendingOfTenant: number): number {
  return MAX_SENDING.aTenant - sendingOfTenant;
}

/** Number of further deliveries of a subscription that may be sent now; none if not positive. */
export function admissible({ sending, sendingOfTenant, ...health }: AdmissionState, now: Date): number {
  const room = Math.min(MAX_SENDING.aSubscription - sending, admissibleOfTenant(sendingOfTenant));
  return Math.min(room, allowance(health, now));
}

/** Status by which a receiver declines further events. */
export const GONE_STATUS = 410;
/** The reason shown when a subscription is disabled because of GONE_STATUS. */
export const GONE = 'the receiver answered 410: it is gone';

const DISABLED_AFTER_DAYS = 3;
/** The reason shown when a subscription is disabled because of `hasFailedTooLong`. */
export const FAILED_TOO_LONG = `every attempt has failed for ${DISABLED_AFTER_DAYS} days`;

/**
 * Whether a subscription must be disabled: no attempt has succeeded for three days.
 *
 * @param failingSince when the first failed attempt after the last success ended
 */
export function hasFailedTooLong(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= DISABLED_AFTER_DAYS * DAY;
}
