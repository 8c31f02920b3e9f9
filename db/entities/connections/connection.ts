import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { CONNECTION_PROVIDERS } from '../../../domain/connections.ts';
import { Tenant } from '../accounts/tenant.ts';

/** Access to an account of a tenant's at a provider. Its refresh token is sealed for the tenant. */
export const Connection = defineEntity({
  name: 'Connection',
  tableName: 'connections',
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(),
    provider: p.enum(CONNECTION_PROVIDERS),
    name: p.string(),
    /** The refresh token. */
    credentials: p.text(),
    /** The key that opens it. */
    encryptionKeyId: p.string().length(32).index(),
    /** Why it cannot be used any more; null while it can. */
    error: p.text().nullable(),
    createdBy: p.uuid(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
  },
});
export type Connection = InferEntity<typeof Connection>;
