import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** How far rollups have come; one row, made by the migration. */
export const UsageRollupState = defineEntity({
  name: 'UsageRollupState',
  tableName: 'usage_rollup_state',
  properties: {
    id: p.smallint().primary(),
    /** All hours before are rolled up. */
    rolledUpTo: p.datetime(),
  },
});
export type UsageRollupState = InferEntity<typeof UsageRollupState>;
