import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from './tenant.ts';

/**
 * A share of the monthly credits that a tenant reached for the first time in a month: the event
 * `usage.threshold_reached`. Written in the transaction that reserves the credits.
 */
export const UsageThreshold = defineEntity({
  name: 'UsageThreshold',
  tableName: 'usage_thresholds',
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    month: p.date().primary(),
    /** Percentage of the month's credits. */
    threshold: p.smallint().primary(),
    /** Credits reserved or spent at that time, and the limit then. */
    used: p.integer(),
    monthlyLimit: p.integer(),
    reachedAt: p.datetime(),
  },
});
export type UsageThreshold = InferEntity<typeof UsageThreshold>;
