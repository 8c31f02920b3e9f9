import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Progress of the rollups; one row, created by the migration. */
export const UsageRollupState = defineEntity({
  name: 'UsageRollupState',
  tableName: 'usage_rollup_state',
  properties: {
    id: p.smallint().primary(),
    /** All hours before this time are rolled up. */
    rolledUpTo: p.datetime(),
  },
});
export type UsageRollupState = InferEntity<typeof UsageRollupState>;
