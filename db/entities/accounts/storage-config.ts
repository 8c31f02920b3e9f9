import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from './tenant.ts';

/**
 * A tenant's own bucket. The active one receives new uploads; retired ones stay, with their credentials, for the files
 * stored in them. Foreign keys of generated columns (see its migration) keep the row while an object key names it:
 * `files`, `claimed_objects`, `upload_intents`.
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
    // Configuring the same bucket again reuses its row, so that renewed credentials open its files.
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
    /** Id of the encryption key of the credentials. */
    encryptionKeyId: p.string().length(32).index(),
    /** Incremented with the credentials, so that open connections with former ones are dropped. */
    version: p.integer(),
    configuredAt: p.datetime(),
    isValidated: p.boolean(),
    /** Why the last validation failed. */
    error: p.text().nullable(),
    retiredAt: p.datetime().nullable(),
  },
});
export type StorageConfig = InferEntity<typeof StorageConfig>;
