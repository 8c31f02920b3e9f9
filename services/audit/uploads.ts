import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { countFiles } from '../upload-sessions/count-files.ts';
import { type Invariant, inspect, walk, listAll } from './invariant.ts';
import { DataExport } from '../../db/entities/exports/export.ts';
import { ClaimedObject } from '../../db/entities/uploads/claimed-object.ts';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { OPEN_EXPORT_STATUSES } from '../../domain/exports/export.ts';
import { exportKey, originalPrefix, placeOf } from '../../domain/object-keys.ts';

export const sessions: Invariant = {
  id: 'I4',
  title:
    'total = completed + failed + skipped + pending in every session, and nothing is pending in an ended one',
  async *check({ em }) {
    yield* inspect(walk(em, UploadSession), async ({ id, status }) => {
      const { total, completed, failed, skipped, pending } = await countFiles(em(), id);
      const sum = completed + failed + skipped + pending;
      if (sum !== total) return `session ${id} has ${total} files and accounts for ${sum}`;
      // Files that a cancellation kept from starting stay pending forever, as the contract requires.
      if (pending === 0 || isOpenUploadSession(status) || status === 'cancelled') return undefined;
      return `session ${id} is ${status} with ${pending} files pending`;
    });
  },
};

/** The request for the metrics themselves. */
const OWN_REQUESTS = 1;

export const uploadMemory: Invariant = {
  id: 'I9',
  title: 'no upload memory is reserved when there are no uploads',
  async *check({ metrics }) {
    const text = await metrics();
    const held = readGauge(text, 'darkroom_upload_memory_bytes');
    const requests = readGauge(text, 'darkroom_http_requests_in_progress');
    if (held === undefined || requests === undefined) yield 'the API does not report its upload memory';
    else if (held > 0 && requests <= OWN_REQUESTS) yield `${held} bytes of upload memory are still reserved`;
  },
};

function readGauge(text: string, name: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

export const openParts: Invariant = {
  id: 'I10',
  title: 'no parts of an upload that is overdue for cleaning or unknown',
  async *check({ em, objects }) {
    const claims = await em().find(ClaimedObject, {});
    const known = new Set(claims.map(({ objectKey }) => objectKey));
    for await (const { id, tenantId } of walk(em, DataExport, openOrToClean))
      known.add(exportKey(tenantId, id));
    const cleanAt = new Map<string, Date>();
    for await (const upload of walk(em, DirectUpload, { cleanAt: { $ne: null } })) {
      const place = placeOf(upload.tenantId, upload.objectKey);
      if (upload.cleanAt) cleanAt.set(originalPrefix(place, upload.fileId), upload.cleanAt);
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
