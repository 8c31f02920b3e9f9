import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { CONNECTION_PROVIDERS, type BucketAddress } from '../../../domain/connections.ts';
import { Tenant } from '../accounts/tenant.ts';

/** Access to a tenant's account at a provider. Its refresh token or key is sealed for the tenant. */
export const Connection = defineEntity({
  name: 'Connection',
  tableName: 'connections',
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(),
    provider: p.enum(CONNECTION_PROVIDERS),
    name: p.string(),
    /** Of a bucket; null for an account at a provider. */
    bucket: p.json<BucketAddress>().nullable(),
    /** The refresh token, or the key of a bucket as JSON, which is null for a public one. */
    credentials: p.text(),
    /** Id of the encryption key of the credentials. */
    encryptionKeyId: p.string().length(32).index(),
    /** Why it is no longer usable; null while it is. */
    error: p.text().nullable(),
    createdBy: p.uuid(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
  },
});
export type Connection = InferEntity<typeof Connection>;
