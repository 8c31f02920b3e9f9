import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { SchemaExtraction } from './schema-extraction.ts';

/** A model's answer for one part of an extraction. Unique, so that no answer is paid for twice. */
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
    /** Numbered from 0, in page order. */
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
