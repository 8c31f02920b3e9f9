import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * A host at which the attempts of a tenant's webhooks of single requests fail. Each of these webhooks has a few events
 * only, so what they learn of their receiver is kept together. The first success removes the row.
 */
export const FailingHost = defineEntity({
  name: 'FailingHost',
  tableName: 'webhook_failing_hosts',
  indexes: [{ name: 'webhook_failing_hosts_last_dispatched', properties: ['lastDispatchedAt'] }],
  properties: {
    /** No foreign key, as in events. */
    tenantId: p.uuid().primary(),
    /** With the port, as in the URLs. */
    host: p.text().primary(),
    /** When the first failed attempt after the last success ended. */
    failingSince: p.datetime(),
    /** When a delivery was last admitted, which spaces the attempts. */
    lastDispatchedAt: p.datetime(),
  },
});
export type FailingHost = InferEntity<typeof FailingHost>;
