import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from './tenant.ts';

/**
 * A bucket of a tenant's own. The one that is not retired takes new uploads; a retired one stays, with its credentials,
 * for the files that lie in it. Foreign keys of generated columns (see its migration) keep it as long as an object key
 * names it: `files`, `claimed_objects`, `upload_intents`.
 */
export const StorageConfig = defineEntity({
  name: 'StorageConfig',
  tableName: 'storage_configs',
  indexes: [
    {
      name: 'storage_configs_active',
      expression:
        'create unique index "storage_configs_active" on "storage_configs" ("tenant_id") where "retired_at" is null',
    },
    {
      name: 'storage_configs_retired',
      expression:
        'create index "storage_configs_retired" on "storage_configs" ("retired_at") where "retired_at" is not null',
    },
  ],
  uniques: [
    // The same bucket again has the same row, so that renewed credentials open its files.
    { name: 'storage_configs_bucket', properties: ['tenantId', 'endpoint', 'bucketName'] },
    { name: 'storage_configs_of_tenant', properties: ['tenantId', 'id'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    /** URL of the S3-compatible service, without a path. */
    endpoint: p.string().length(500),
    region: p.string().length(64),
    bucketName: p.string().length(63),
    /** JSON of access key id and secret, sealed for the tenant. */
    credentials: p.text(),
    /** The key that opens the credentials. */
    encryptionKeyId: p.string().length(32).index(),
    /** Incremented with the credentials, so that open connections with former ones are dropped. */
    version: p.integer(),
    configuredAt: p.datetime(),
    isValidated: p.boolean(),
    /** Why the latest validation failed. */
    error: p.text().nullable(),
    retiredAt: p.datetime().nullable(),
  },
});
export type StorageConfig = InferEntity<typeof StorageConfig>;
