import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { SchemaExtraction } from './schema-extraction.ts';

/** The answer of a model to one part of an extraction. Unique, so that no answer is paid for twice. */
export const ExtractionPart = defineEntity({
  name: 'ExtractionPart',
  tableName: 'extraction_parts',
  properties: {
    extractionId: p
      .manyToOne(SchemaExtraction)
      .mapToPk()
      .primary()
      .fieldName('extraction_id')
      .deleteRule('cascade'),
    /** From 0, in the order of the pages. */
    part: p.integer().primary(),
    data: p.json<Record<string, unknown>>().columnType('json'),
    confidence: p.double().$type<number>().nullable(),
    provider: p.string(),
    model: p.string(),
    promptVersion: p.string(),
    inputTokens: p.integer(),
    outputTokens: p.integer(),
    thinkingTokens: p.integer().nullable(),
    cacheReadTokens: p.integer(),
    cacheCreationTokens: p.integer(),
    createdAt: p.datetime(),
  },
});
export type ExtractionPart = InferEntity<typeof ExtractionPart>;
