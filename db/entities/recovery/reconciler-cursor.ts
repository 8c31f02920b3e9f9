import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** How far the reconciler has read the engine's closed runs. A single row. */
export const ReconcilerCursor = defineEntity({
  name: 'ReconcilerCursor',
  tableName: 'reconciler_cursor',
  properties: {
    id: p.integer().primary(),
    closedUntil: p.datetime(),
  },
});
export type ReconcilerCursor = InferEntity<typeof ReconcilerCursor>;
