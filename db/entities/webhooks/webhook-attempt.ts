import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { WebhookDelivery } from './webhook-delivery.ts';

/** One request of a delivery. */
export const WebhookAttempt = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempts',
  properties: {
    deliveryId: p
      .manyToOne(WebhookDelivery)
      .mapToPk()
      .primary()
      .fieldName('delivery_id')
      .deleteRule('cascade')
      .index(false),
    /** Numbered from 1, continued across redeliveries. */
    number: p.integer().primary(),
    startedAt: p.datetime(),
    latencyMs: p.integer(),
    /** HTTP status; null without an answer. */
    statusCode: p.smallint().nullable(),
    /** Why the attempt failed; null if it succeeded. */
    error: p.text().nullable(),
    /** The first KB of the answer; null without one. */
    answer: p.text().nullable(),
  },
});
export type WebhookAttempt = InferEntity<typeof WebhookAttempt>;
