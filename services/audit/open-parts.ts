import { ClaimedObject } from '../../db/entities/uploads/claimed-object.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { originalPrefix, placeOf } from '../../domain/object-keys.ts';
import type { Invariant } from './invariant.ts';
import { listAll, walk } from './walk.ts';

export const openParts: Invariant = {
  id: 'I10',
  title: 'no parts of an upload that is overdue for cleaning or unknown',
  async *check({ em, objects }) {
    const claims = await em().find(ClaimedObject, {});
    const known = new Set(claims.map(({ objectKey }) => objectKey));
    const cleanAt = new Map<string, Date>();
    for await (const intent of walk(em, UploadIntent, { cleanAt: { $ne: null } })) {
      const place = placeOf(intent.tenantId, intent.objectKey);
      if (intent.cleanAt) cleanAt.set(originalPrefix(place, intent.fileId), intent.cleanAt);
    }
    const open = listAll({ em }, '', (prefix) => objects.listIncompleteUploads(prefix));
    for await (const { key } of open) {
      const due = cleanAt.get(key.slice(0, key.lastIndexOf('-') + 1));
      if (due && due.getTime() < Date.now() - SWEEP_MS)
        yield `parts of ${key} should have been removed at ${due.toISOString()}`;
      if (!due && !known.has(key)) yield `parts of ${key} are orphaned`;
    }
  },
};

/** The sweep runs every 30 s and cleans fifty uploads at a time. */
const SWEEP_MS = 600_000;
