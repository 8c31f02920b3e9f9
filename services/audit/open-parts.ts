import { ClaimedObject } from '../../db/entities/claimed-object.ts';
import type { Invariant } from './invariant.ts';

export const openParts: Invariant = {
  id: 'I10',
  title: 'no parts of an upload that has expired or that nobody knows',
  async *check({ em, objects }) {
    const claims = await em().find(ClaimedObject, {});
    const claimed = new Set(claims.map(({ objectKey }) => objectKey));
    for await (const { key } of objects.listIncompleteUploads('')) {
      if (!claimed.has(key)) yield `there are parts of ${key}, which belongs to nothing`;
    }
  },
};
