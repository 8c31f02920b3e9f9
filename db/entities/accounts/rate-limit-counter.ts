import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Requests in a window of time. The table is unlogged: a counter costs no WAL, and a crash may forget it. */
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
