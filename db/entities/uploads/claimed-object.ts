import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * A key of the object store that an upload under way may have written to. Noted before the first byte and crossed
 * out in the transaction that writes the file's row, so that what a killed process left behind can be found and
 * removed without reading the whole bucket.
 */
export const ClaimedObject = defineEntity({
  name: 'ClaimedObject',
  tableName: 'claimed_objects',
  properties: {
    objectKey: p.text().primary(),
    claimedAt: p.datetime().index(),
  },
});
export type ClaimedObject = InferEntity<typeof ClaimedObject>;
