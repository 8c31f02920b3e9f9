import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from './tenant.ts';

/**
 * Credits reserved or spent by a tenant in one month: the sum of its ledger, materialized so that a check reads one
 * row.
 */
export const CreditBalance = defineEntity({
  name: 'CreditBalance',
  tableName: 'credit_balances',
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    month: p.date().primary(),
    used: p.integer(),
  },
});
export type CreditBalance = InferEntity<typeof CreditBalance>;
