import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

/**
 * Makes the next attempt due now, on request of a user. A signal, because it needs no answer and must not be
 * lost.
 */
export const ATTEMPT_NOW = 'attemptNow';

/**
 * A delivery. Each redelivery is its next generation. The row names the event and decides races with a cancellation; URL and
 * secret stay in the database.
 */
export interface DeliveryTarget {
  deliveryId: string;
  tenantId: string;
  generation: number;
}

/**
 * `deliverWebhook`, id `webhook/{delivery_id}`, queue `workflows`: version 0.1 started one for each delivery whose first attempt
 * failed. Those that still run make one more attempt, and leave the rest to `retryWebhook`.
 */
export interface DeliverWebhookInput extends DeliveryTarget {
  /** Type of the event; shown to operators only. */
  type: string;
  /** When the second attempt is due, ISO 8601, if the first one was made without the workflow. */
  nextAttemptAt?: string;
}

/** The outcome of an attempt; `ended` if the workflow has nothing more to do. */
export type AttemptOutcome =
  | { outcome: 'delivered' | 'failed' | 'ended' }
  /** The next attempt is due after this time. Only in histories of version 0.1. */
  | { outcome: 'retry'; afterMs: number };

export interface DeliverWebhookResult {
  outcome: 'delivered' | 'failed' | 'ended';
  attempts: number;
}

export const WEBHOOK_WORKFLOWS = rowWorkflows<DeliverWebhookInput>({
  type: 'deliverWebhook',
  prefix: 'webhook/',
  row: ({ deliveryId }) => deliveryId,
  reuse: 'by_generation',
  summary: ({ type, generation }) =>
    generation === 1 ? `Delivery of ${type}` : `Delivery of ${type}, generation ${generation}`,
  // Deliveries report work and must not delay it.
  priority: ({ tenantId }) => taskPriority('bulk', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId }),
  memo: ({ generation, tenantId }) => ({ generation, tenantId }),
});
