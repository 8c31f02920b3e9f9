import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { USAGE_OPERATIONS } from '../../../domain/operations.ts';
import { Tenant } from './tenant.ts';

/**
 * Credits that were reserved in one hour (UTC) and not refunded since: the ledger by operation and API key, written
 * with it. The hours of a month add up to its balance. An empty text stands for "none": keys have no nulls.
 */
export const CreditHour = defineEntity({
  name: 'CreditHour',
  tableName: 'credit_hours',
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    startsAt: p.datetime().primary(),
    operation: p.enum(USAGE_OPERATIONS).primary(),
    level: p.string().primary(),
    apiKeyId: p.string().length(8).primary(),
    credits: p.integer(),
  },
});
export type CreditHour = InferEntity<typeof CreditHour>;
