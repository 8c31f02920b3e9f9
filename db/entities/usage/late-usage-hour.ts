import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** An hour that received an event after its rollup. Until it is rolled up again, its events are read one by one. */
export const LateUsageHour = defineEntity({
  name: 'LateUsageHour',
  tableName: 'late_usage_hours',
  properties: {
    startsAt: p.datetime().primary(),
  },
});
export type LateUsageHour = InferEntity<typeof LateUsageHour>;
