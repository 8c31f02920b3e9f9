import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import { Tenant } from '../accounts/tenant.ts';

/** One version of a saved schema, which never changes. */
export const ExtractionSchemaVersion = defineEntity({
  name: 'ExtractionSchemaVersion',
  tableName: 'extraction_schema_versions',
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    schemaId: p.uuid().primary(),
    /** From 1. */
    version: p.integer().primary(),
    /** `jsonb` would reorder its properties, and their order is that of the answers. */
    schema: p.json<JsonSchema>().columnType('json'),
    /** The prompt of extractions that come without one. */
    promptHint: p.text().nullable(),
    createdAt: p.datetime(),
  },
});
export type ExtractionSchemaVersion = InferEntity<typeof ExtractionSchemaVersion>;
