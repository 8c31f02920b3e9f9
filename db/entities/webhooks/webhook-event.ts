import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * An event that matches at least one subscription; others are not stored. Written by triggers in the
 * transaction of the change that it reports.
 */
export const WebhookEvent = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_events',
  indexes: [{ name: 'webhook_events_created', properties: ['createdAt'] }],
  properties: {
    id: p.uuid().primary(),
    /** No foreign key, since it would lock the tenant's row in every transaction that writes an event. */
    tenantId: p.uuid(),
    /** One of `WEBHOOK_EVENTS`, or the test event. */
    type: p.text(),
    /** Ids and statuses, with the field names of the API. */
    data: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(),
  },
});
export type WebhookEvent = InferEntity<typeof WebhookEvent>;
