import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import { Tenant } from '../accounts/tenant.ts';

/** One version of a saved schema; immutable. */
export const ExtractionSchemaVersion = defineEntity({
  name: 'ExtractionSchemaVersion',
  tableName: 'extraction_schema_versions',
  properties: {
    tenantId: p.manyToOne(Tenant).mapToPk().primary().fieldName('tenant_id'),
    schemaId: p.uuid().primary(),
    /** Numbered from 1. */
    version: p.integer().primary(),
    /** Not `jsonb`, which would reorder its properties: they determine the order in answers. */
    schema: p.json<JsonSchema>().columnType('json'),
    /** The default prompt of its extractions. */
    promptHint: p.text().nullable(),
    createdAt: p.datetime(),
  },
});
export type ExtractionSchemaVersion = InferEntity<typeof ExtractionSchemaVersion>;
