import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The reconciler's position in the engine's closed runs. A single row. */
export const ReconcilerCursor = defineEntity({
  name: 'ReconcilerCursor',
  tableName: 'reconciler_cursor',
  properties: {
    id: p.integer().primary(),
    closedUntil: p.datetime(),
  },
});
export type ReconcilerCursor = InferEntity<typeof ReconcilerCursor>;
