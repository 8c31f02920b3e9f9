import type { DeliveryTarget } from './deliver-webhook.ts';
import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import type { Workflow } from './workflow.ts';

/**
 * Something is due before the time for which the workflow waits, or nothing is any more. A signal, because it needs no answer
 * and must not be lost.
 */
export const RETRIES_CHANGED = 'retriesChanged';

/**
 * `retryWebhook`, id `webhook-retries/{subscription_id}`, queue `workflows`: makes the further attempts of all deliveries of one
 * webhook, and ends when none waits. The webhooks of single requests of a tenant share one workflow,
 * `webhook-retries/{tenant_id}`. The rows have the deliveries, their times and the URL.
 */
export interface RetriedWebhook {
  tenantId: string;
  /** Absent for the webhooks of single requests. */
  subscriptionId?: string;
}

/** A delivery that is due. */
export interface DueAttempt extends DeliveryTarget {
  /** Type of the event; shown to operators only. */
  type: string;
  /** Number of the attempt in its generation, from 1. */
  attempt: number;
}

export interface DueDeliveries {
  /** Those to be attempted now, the longest due first; a bounded number. */
  due: DueAttempt[];
  /** How many wait, with those that are due. */
  waiting: number;
  /** Milliseconds until the first of the others is due, if none is due now. */
  nextInMs?: number;
}

/**
 * The outcome of an attempt; `ended` if there was none to make, since the delivery has ended or is not due, `postponed` if its
 * secret cannot be decrypted for now.
 */
export interface RetryResult {
  outcome: 'delivered' | 'failed' | 'ended' | 'retry' | 'postponed';
}

export const RETRY_WEBHOOK: Workflow<RetriedWebhook> = {
  type: 'retryWebhook',
  id: ({ tenantId, subscriptionId }) => `webhook-retries/${subscriptionId ?? tenantId}`,
  reuse: 'joined',
  summary: ({ subscriptionId }) =>
    subscriptionId === undefined
      ? 'Retries of the webhooks of single requests'
      : `Retries of the webhook ${subscriptionId}`,
  // Deliveries report work and must not delay it.
  priority: ({ tenantId }) => taskPriority('bulk', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId }),
};
