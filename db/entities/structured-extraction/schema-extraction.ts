import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { ANALYSIS_LEVELS } from '../../../domain/structured-extraction/analysis-level.ts';
import {
  EXTRACTION_SOURCES,
  EXTRACTION_STATUSES,
  type Citations,
} from '../../../domain/structured-extraction/extraction.ts';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import type { ReadPage } from '../../../domain/structured-extraction/read-page.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import { StoredFile } from '../files/stored-file.ts';
import { Tenant } from '../accounts/tenant.ts';

/** One extraction by a schema: what was asked for, and the result of its workflow. */
export const SchemaExtraction = defineEntity({
  name: 'SchemaExtraction',
  tableName: 'schema_extractions',
  indexes: [
    {
      name: 'schema_extractions_engine_due',
      expression:
        'create index "schema_extractions_engine_due" on "schema_extractions" ("engine_due_at") where "engine_due_at" is not null',
    },
    {
      name: 'schema_extractions_open',
      expression: `create index "schema_extractions_open" on "schema_extractions" ("updated_at") where "status" = 'processing'`,
    },
    { name: 'schema_extractions_file', properties: ['fileId', 'createdAt'] },
    { name: 'schema_extractions_of_tenant', properties: ['tenantId', 'createdAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    source: p.enum(EXTRACTION_SOURCES),
    /** Null for content that is no file. */
    fileId: p
      .manyToOne(StoredFile)
      .mapToPk()
      .fieldName('file_id')
      .nullable()
      .deleteRule('cascade')
      .index(false),
    /** Of the file, when it is its schema extraction. */
    generation: p.integer().nullable(),
    sourceUrl: p.text().nullable(),

    /** `jsonb` would reorder its properties, and their order is that of the answers. */
    schema: p.json<JsonSchema>().columnType('json'),
    /** The saved schema that it is a version of. */
    schemaId: p.uuid().nullable(),
    schemaVersion: p.integer().nullable(),
    prompt: p.text().nullable(),
    level: p.enum(ANALYSIS_LEVELS),
    citationsRequested: p.boolean(),

    /** Until when a model that does not answer is asked again; null: without end. */
    giveUpAt: p.datetime().nullable(),
    status: p.enum(EXTRACTION_STATUSES),
    error: p.json<FailureReason>().nullable(),
    /**
     * Objects of its own that may exist: the picture it was given, and the one made for the model. Listed before they
     * are written; removed at its end.
     */
    objectKeys: p.array().default([]),
    /** What was read in the picture; null while nothing was, and of documents, which have their own pages. */
    readPage: p.json<ReadPage>().nullable(),

    data: p.json<Record<string, unknown>>().columnType('json').nullable(),
    citations: p.json<Citations>().nullable(),
    /** 0–1 as the model rates itself; null where it does not. */
    confidence: p.double().$type<number>().nullable(),
    provider: p.string().nullable(),
    model: p.string().nullable(),
    promptVersion: p.string().nullable(),
    usage: p.json<TokenUsage>().nullable(),
    /** From its acceptance to its end. */
    processingMs: p.integer().nullable(),

    /** Who asked for it. */
    apiKeyId: p.string().length(8).nullable(),
    userId: p.uuid().nullable(),
    /** Since when the engine may not know it; cleared once it does, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
});
export type SchemaExtraction = InferEntity<typeof SchemaExtraction>;
