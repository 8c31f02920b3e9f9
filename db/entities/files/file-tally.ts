import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Tenant } from '../accounts/tenant.ts';

/**
 * A tenant's file counts, so that lists need not count rows. Maintained only by triggers on `files`, in the
 * transactions that add, delete and restore. A tenant without files may have no row.
 */
export const FileTally = defineEntity({
  name: 'FileTally',
  tableName: 'file_tallies',
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    live: p.bigint('number'),
    trash: p.bigint('number'),
  },
});
export type FileTally = InferEntity<typeof FileTally>;
