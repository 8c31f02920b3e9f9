import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from '../accounts/tenant.ts';

/** A connection awaiting its owner's consent at the provider. The owner's return deletes the row. */
export const ConnectionFlow = defineEntity({
  name: 'ConnectionFlow',
  tableName: 'connection_flows',
  properties: {
    /** SHA-256 of the `state` that the provider returns, hex. */
    stateHash: p.string().length(64).primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    /** The user who began it; no one else may finish it. */
    userId: p.uuid(),
    name: p.string(),
    codeVerifier: p.string(),
    expiresAt: p.datetime().index(),
  },
});
export type ConnectionFlow = InferEntity<typeof ConnectionFlow>;
