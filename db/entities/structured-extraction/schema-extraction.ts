import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import {
  ANALYSIS_LEVELS,
  EXTRACTION_SOURCES,
  EXTRACTION_STATUSES,
  type Citations,
} from '../../../domain/structured-extraction/extraction.ts';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import type { ReadPage } from '../../../domain/structured-extraction/read-page.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import { StoredFile } from '../files/stored-file.ts';
import { Tenant } from '../accounts/tenant.ts';

/** One extraction by a schema: its request, and the result of its workflow. */
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
    /** Null for content that is not a file. */
    fileId: p
      .manyToOne(StoredFile)
      .mapToPk()
      .fieldName('file_id')
      .nullable()
      .deleteRule('cascade')
      .index(false),
    /** The file's generation, for the schema extraction of an upload. */
    generation: p.integer().nullable(),
    sourceUrl: p.text().nullable(),

    /** Not `jsonb`, which would reorder its properties: they determine the order in answers. */
    schema: p.json<JsonSchema>().columnType('json'),
    /** The saved schema that it is a version of. */
    schemaId: p.uuid().nullable(),
    schemaVersion: p.integer().nullable(),
    prompt: p.text().nullable(),
    level: p.enum(ANALYSIS_LEVELS),
    citationsRequested: p.boolean(),

    /** Deadline for retrying a model that does not respond; null for none. */
    giveUpAt: p.datetime().nullable(),
    status: p.enum(EXTRACTION_STATUSES),
    error: p.json<FailureReason>().nullable(),
    /**
     * Temporary objects that may exist: the given image, and the one rendered for the model. Listed before they are
     * written; removed at its end.
     */
    objectKeys: p.array().default([]),
    /** The text read from the image; null before, and for documents, which have their own pages. */
    readPage: p.json<ReadPage>().nullable(),

    data: p.json<Record<string, unknown>>().columnType('json').nullable(),
    citations: p.json<Citations>().nullable(),
    /** 0–1, as rated by the model; null without a rating. */
    confidence: p.double().$type<number>().nullable(),
    provider: p.string().nullable(),
    model: p.string().nullable(),
    promptVersion: p.string().nullable(),
    usage: p.json<TokenUsage>().nullable(),
    /** From acceptance to end. */
    processingMs: p.integer().nullable(),

    /** The API key of the request. */
    apiKeyId: p.string().length(8).nullable(),
    userId: p.uuid().nullable(),
    /** Since when the engine may lack it; cleared once notified, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
});
export type SchemaExtraction = InferEntity<typeof SchemaExtraction>;
