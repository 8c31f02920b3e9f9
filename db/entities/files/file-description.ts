import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { StoredFile } from './stored-file.ts';

/**
 * A model's description of a file in one generation. Unique, so that no answer is paid for twice. The migration alone
 * defines `id` and `tenant_id`, which the database fills in, and the index of the history over them.
 */
export const FileDescription = defineEntity({
  name: 'FileDescription',
  tableName: 'file_descriptions',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    generation: p.integer().primary(),
    provider: p.string(),
    model: p.string(),
    promptVersion: p.string(),
    description: p.text(),
    tags: p.array(),
    inputTokens: p.integer(),
    outputTokens: p.integer(),
    /** 0–1, as rated by the model; null without a rating. */
    confidence: p.float().nullable(),
    /** Part of the output; null if the provider does not report it. */
    thinkingTokens: p.integer().nullable(),
    cacheReadTokens: p.integer().default(0),
    cacheCreationTokens: p.integer().default(0),
    createdAt: p.datetime(),
  },
});
export type FileDescription = InferEntity<typeof FileDescription>;
