import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from '../accounts/tenant.ts';

/** What a purge has removed of one file. Written in the transaction that removes its rows, and never changed. */
export const DeletionReceipt = defineEntity({
  name: 'DeletionReceipt',
  tableName: 'deletion_receipts',
  indexes: [{ name: 'deletion_receipts_tenant', properties: ['tenantId', 'purgedAt', 'fileId'] }],
  properties: {
    fileId: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    filename: p.string(),
    sha256: p.string().length(64),
    deletedAt: p.datetime(),
    purgedAt: p.datetime(),
    /** That of the file itself, those that hung on it, and those of the direct uploads that led to it. */
    rows: p.integer(),
    /** Original, variants, and what interrupted uploads had left beside them. */
    objects: p.integer(),
    /** Also those that the deletion had taken out of the index already. */
    vectors: p.integer(),
  },
});
export type DeletionReceipt = InferEntity<typeof DeletionReceipt>;
