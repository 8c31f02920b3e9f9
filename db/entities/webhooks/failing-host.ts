import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * A failing receiver of a tenant's webhooks of single requests, by host. Each of these webhooks has only a
 * few events, so their health is tracked per host. The first success removes the row.
 */
export const FailingHost = defineEntity({
  name: 'FailingHost',
  tableName: 'webhook_failing_hosts',
  indexes: [{ name: 'webhook_failing_hosts_last_dispatched', properties: ['lastDispatchedAt'] }],
  properties: {
    /** No foreign key, for the same reason as in webhook events. */
    tenantId: p.uuid().primary(),
    /** With the port, as in the URLs. */
    host: p.text().primary(),
    /** When the first failed attempt after the last success ended. */
    failingSince: p.datetime(),
    /** When a delivery was last admitted; limits the rate of attempts. */
    lastDispatchedAt: p.datetime(),
  },
});
export type FailingHost = InferEntity<typeof FailingHost>;
