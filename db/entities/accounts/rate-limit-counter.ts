import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Requests in a time window. The table is unlogged: counters cost no WAL, and losing them in a crash is harmless. */
export const RateLimitCounter = defineEntity({
  name: 'RateLimitCounter',
  tableName: 'rate_limits',
  properties: {
    key: p.string().primary(),
    used: p.integer(),
    resetsAt: p.datetime().index(),
  },
});
export type RateLimitCounter = InferEntity<typeof RateLimitCounter>;
