import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { Charge } from '../../../domain/operations.ts';
import { Tenant } from './tenant.ts';

export const CREDIT_ENTRY_KINDS = ['reserve', 'spend', 'refund'] as const;

/**
 * The credits ledger, append-only. A reservation is opened once and closed once, by `spend` or by `refund`; the
 * primary key makes a second opening or closing impossible.
 */
export const CreditEntry = defineEntity({
  name: 'CreditEntry',
  tableName: 'credit_entries',
  indexes: [{ name: 'credit_entries_tenant_newest', properties: ['tenantId', 'createdAt'] }],
  properties: {
    reservationId: p.string().primary(),
    /** False for the entry that opens a reservation, true for the one that closes it. */
    closes: p.boolean().primary(),
    kind: p.enum(CREDIT_ENTRY_KINDS),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    amount: p.integer(),
    /** First day of the month whose credits are reserved. */
    month: p.date(),
    /** Breakdown of the amount. */
    charges: p.json<Charge[]>(),
    /** The API key of the request; null without one. */
    apiKeyId: p.string().length(8).nullable(),
    createdAt: p.datetime(),
  },
});
export type CreditEntry = InferEntity<typeof CreditEntry>;
