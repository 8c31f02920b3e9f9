import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from '../accounts/tenant.ts';

/** The counts removed by the purge of one file. Written in the transaction that deletes its rows; immutable. */
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
    /** The file's own row, its dependent rows, and those of its direct uploads. */
    rows: p.integer(),
    /** The original, its variants, and leftovers of interrupted uploads. */
    objects: p.integer(),
    /** Including vectors that the deletion had already removed from the index. */
    vectors: p.integer(),
  },
});
export type DeletionReceipt = InferEntity<typeof DeletionReceipt>;
