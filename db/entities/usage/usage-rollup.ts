import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { USAGE_EVENT_TYPES } from '../../../domain/operations.ts';

export const ROLLUP_GRAINS = ['hour', 'day'] as const;

/** Sums of similar usage events in one hour or day (UTC). An empty text stands for "none": keys have no nulls. */
export const UsageRollup = defineEntity({
  name: 'UsageRollup',
  tableName: 'usage_rollups',
  indexes: [{ name: 'usage_rollups_oldest', properties: ['startsAt'] }],
  properties: {
    tenantId: p.uuid().primary(),
    grain: p.enum(ROLLUP_GRAINS).primary(),
    startsAt: p.datetime().primary(),
    type: p.enum(USAGE_EVENT_TYPES).primary(),
    subtype: p.string().primary(),
    endpoint: p.string().primary(),
    method: p.string().primary(),
    apiKeyId: p.string().length(8).primary(),
    events: p.bigint('number'),
    /** Requests with a status of 400 or more, operations with an error. */
    failed: p.bigint('number'),
    durationMs: p.bigint('number'),
    inputTokens: p.bigint('number'),
    outputTokens: p.bigint('number'),
    cacheReadTokens: p.bigint('number'),
    cacheCreationTokens: p.bigint('number'),
    /** Events of files with input or output tokens, and their token counts. */
    fileEvents: p.bigint('number'),
    fileInputTokens: p.bigint('number'),
    fileOutputTokens: p.bigint('number'),
  },
});
export type UsageRollup = InferEntity<typeof UsageRollup>;
