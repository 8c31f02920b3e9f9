import { DataExport } from '../../db/entities/exports/export.ts';
import { ClaimedObject } from '../../db/entities/uploads/claimed-object.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { OPEN_EXPORT_STATUSES } from '../../domain/exports/export.ts';
import { exportKey, originalPrefix, placeOf } from '../../domain/object-keys.ts';
import type { Invariant } from './invariant.ts';
import { listAll, walk } from './walk.ts';

export const openParts: Invariant = {
  id: 'I10',
  title: 'no parts of an upload that is overdue for cleaning or unknown',
  async *check({ em, objects }) {
    const claims = await em().find(ClaimedObject, {});
    const known = new Set(claims.map(({ objectKey }) => objectKey));
    for await (const { id, tenantId } of walk(em, DataExport, openOrToClean))
      known.add(exportKey(tenantId, id));
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

/** Exports that are being written, or whose parts are still to be removed. */
const openOrToClean = { $or: [{ status: { $in: [...OPEN_EXPORT_STATUSES] } }, { cleanAt: { $ne: null } }] };

/** The sweep runs every 30 s and cleans fifty uploads at a time. */
const SWEEP_MS = 600_000;
