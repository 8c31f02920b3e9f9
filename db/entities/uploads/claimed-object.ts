import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * An object key that an upload in progress may have written to. Recorded before the first byte and deleted in the
 * transaction that writes the file's row, so that leftovers of a killed process can be found and removed without
 * listing the whole bucket.
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
