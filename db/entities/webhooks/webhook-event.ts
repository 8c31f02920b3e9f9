import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * An event that at least one subscription asked for. Written only by triggers on the tables that it reports of, in the
 * transactions of the changes; without such a subscription there is no row.
 */
export const WebhookEvent = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_events',
  indexes: [{ name: 'webhook_events_created', properties: ['createdAt'] }],
  properties: {
    id: p.uuid().primary(),
    /** No foreign key, which would lock the tenant's row in every transaction that writes an event. */
    tenantId: p.uuid(),
    /** One of `WEBHOOK_EVENTS`, or the test event. */
    type: p.text(),
    /** Ids and statuses, in the names of the API. */
    data: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(),
  },
});
export type WebhookEvent = InferEntity<typeof WebhookEvent>;
