import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * A collection of vectors of one model. Searches use the one that began to serve last; one without `servingSince` is
 * being built, and the others are removed.
 */
export const StoredCollection = defineEntity({
  name: 'StoredCollection',
  tableName: 'vector_collections',
  properties: {
    /** From collectionName. */
    collection: p.string().primary(),
    /** `images` or `chunks`. */
    indexName: p.string(),
    dimension: p.integer(),
    /** The settings that name its model, without secrets. */
    settings: p.json<Record<string, unknown>>(),
    /** When a worker with its model last started. */
    registeredAt: p.datetime(),
    /** When a worker last reported that it uses it. */
    seenAt: p.datetime(),
    servingSince: p.datetime().nullable(),
  },
});
export type StoredCollection = InferEntity<typeof StoredCollection>;
