import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { SCHEMA_STATUSES } from '../../../domain/structured-extraction/extraction.ts';
import { Tenant } from '../accounts/tenant.ts';

/** A saved extraction schema. Everything that results depend on is in its versions. */
export const ExtractionSchema = defineEntity({
  name: 'ExtractionSchema',
  tableName: 'extraction_schemas',
  indexes: [
    {
      name: 'extraction_schemas_name',
      expression:
        'create unique index "extraction_schemas_name" on "extraction_schemas" ("tenant_id", lower("name")) where "deleted_at" is null',
    },
  ],
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    id: p.uuid().primary(),
    name: p.string(),
    description: p.text().nullable(),
    status: p.enum(SCHEMA_STATUSES),
    /** The newest version. */
    version: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    /** Its versions stay, because results refer to them. */
    deletedAt: p.datetime().nullable(),
  },
});
export type ExtractionSchema = InferEntity<typeof ExtractionSchema>;
