import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { DELIVERY_STATUSES } from '../../../domain/webhooks/delivery.ts';
import { WebhookEvent } from './webhook-event.ts';
import { WebhookSubscription } from './webhook-subscription.ts';

/** The delivery of one event to one subscription. Written together with the event. */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  indexes: [
    {
      name: 'webhook_deliveries_engine_due',
      expression:
        'create index "webhook_deliveries_engine_due" on "webhook_deliveries" ("engine_due_at") where "engine_due_at" is not null',
    },
    {
      name: 'webhook_deliveries_pending',
      expression: `create index "webhook_deliveries_pending" on "webhook_deliveries" ("tenant_id", "subscription_id", "sequence") where "status" = 'pending'`,
    },
    {
      name: 'webhook_deliveries_admitted',
      expression: `create index "webhook_deliveries_admitted" on "webhook_deliveries" ("tenant_id", "status", "subscription_id") where "status" in ('sending', 'retrying')`,
    },
    {
      name: 'webhook_deliveries_in_order',
      expression: `create index "webhook_deliveries_in_order" on "webhook_deliveries" ("subscription_id", "order_key", "sequence") where "status" in ('pending', 'sending', 'retrying') and "order_key" is not null`,
    },
    {
      name: 'webhook_deliveries_ended',
      expression:
        'create index "webhook_deliveries_ended" on "webhook_deliveries" ("ended_at") where "ended_at" is not null',
    },
    {
      name: 'webhook_deliveries_undelivered',
      expression: `create index "webhook_deliveries_undelivered" on "webhook_deliveries" ("subscription_id", "sequence") where "status" in ('failed', 'cancelled')`,
    },
    { name: 'webhook_deliveries_of_subscription', properties: ['subscriptionId', 'sequence'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    subscriptionId: p
      .manyToOne(WebhookSubscription)
      .mapToPk()
      .fieldName('subscription_id')
      .deleteRule('cascade')
      .index(false),
    eventId: p.manyToOne(WebhookEvent).mapToPk().fieldName('event_id').deleteRule('cascade').index(),
    /** Increases in the order of the events of one resource. */
    sequence: p.bigint('number').autoincrement(),
    /**
     * The file or upload session whose events an ordered subscription receives in order; null for other
     * events.
     */
    orderKey: p.uuid().nullable(),
    status: p.enum(DELIVERY_STATUSES),
    /** Incremented by each redelivery; attempts of an earlier one are not recorded any more. */
    generation: p.integer().default(1),
    attempts: p.integer().default(0),
    /** How many of them belong to earlier generations. */
    attemptsBefore: p.integer().default(0),
    nextAttemptAt: p.datetime().nullable(),
    /**
     * When an attempt is due: while `sending`, when the process that makes the first is presumed dead; while `retrying`, the
     * same as `nextAttemptAt`. Null otherwise, unless admins are still to be told that the webhook was disabled. Also null while
     * a workflow of version 0.1 retries it.
     */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    endedAt: p.datetime().nullable(),
  },
});
export type WebhookDelivery = InferEntity<typeof WebhookDelivery>;
