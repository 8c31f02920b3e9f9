/** The next attempt is due now, because a user asked for it. A signal, because it needs no answer and must not be lost. */
export const ATTEMPT_NOW = 'attemptNow';

/**
 * `deliverWebhook`, id `webhook/{delivery_id}`, queue `workflows`: sends an event to one receiver until it has arrived, at
 * most as often as the schedule of attempts says (domain/webhooks/delivery.ts). The first attempt is mostly made before
 * (services/webhooks/first-attempts.ts), so what arrives at once needs no workflow. A redelivery is the next generation.
 * The row has the event and decides races with a cancellation; URL and secret stay in the database.
 */
export interface DeliveryTarget {
  deliveryId: string;
  tenantId: string;
  generation: number;
}

export interface DeliverWebhookInput extends DeliveryTarget {
  /** Type of the event; shown to operators only. */
  type: string;
  /** When the second attempt is due, ISO 8601, if the first one was made without the workflow. */
  nextAttemptAt?: string;
}

/** What an attempt has led to; `ended` also if the delivery had been cancelled before. */
export type AttemptOutcome =
  | { outcome: 'delivered' | 'failed' | 'ended' }
  /** The next attempt is due after this time. */
  | { outcome: 'retry'; afterMs: number };

export interface DeliverWebhookResult {
  outcome: 'delivered' | 'failed' | 'ended';
  attempts: number;
}
