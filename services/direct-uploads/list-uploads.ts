import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore, StoredPart } from '../../adapters/object-store/object-store.ts';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { UploadPart } from '../../db/entities/uploads/upload-part.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import {
  isDirectUploadOpen,
  OPEN_DIRECT_UPLOAD_STATUSES,
  type PartState,
} from '../../domain/uploads/direct-upload.ts';
import { partSize } from '../../domain/uploads/upload-plan.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { outage } from '../shared/outage.ts';
import { uuidArray } from '../files/folders/read-folders.ts';
import { partsKeyOf } from './create-upload.ts';

/** A direct upload and how many of its parts are confirmed. */
export interface UploadProgress {
  upload: DirectUpload;
  partsConfirmed: number;
}

/** One page of a tenant's uploads that wait for bytes or completion, newest first, and their number. */
export async function listOpenUploads(
  em: EntityManager,
  tenantId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ uploads: UploadProgress[]; totalCount: number }> {
  const [page, totalCount] = await em.findAndCount(
    DirectUpload,
    { tenantId, status: { $in: [...OPEN_DIRECT_UPLOAD_STATUSES] } },
    { limit, offset, orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  const counts = await em.execute<{ upload_id: string; parts: number }[]>(
    'select upload_id, count(*)::int as parts from upload_parts where upload_id = any(?::uuid[]) group by upload_id',
    [uuidArray(page.map(({ id }) => id))],
  );
  const partsOf = new Map(counts.map(({ upload_id: id, parts }) => [id, parts]));
  const uploads = page.map((upload) => ({ upload, partsConfirmed: partsOf.get(upload.id) ?? 0 }));
  return { uploads, totalCount };
}

export interface PartView {
  number: number;
  sizeBytes: number;
  state: PartState;
  /** Without quotes; null for a missing part. */
  etag: string | null;
}

/**
 * A page of the parts of an upload by number; empty for an upload in one PUT. While the upload waits for parts, the store
 * is asked as well: it may have parts whose confirmation was lost, and may have lost confirmed ones. If it does not
 * answer in time, the parts are as confirmed.
 *
 * @param limit at most a thousand, which is a page of the store
 */
export async function listParts(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  upload: DirectUpload,
  { after, limit }: { after: number; limit: number },
): Promise<PartView[]> {
  const { id: uploadId, sizeBytes, partSizeBytes, totalParts } = upload;
  if (!partSizeBytes || !totalParts) return [];
  const last = Math.min(after + limit, totalParts);
  const rows = await em.find(UploadPart, { uploadId, partNumber: { $gt: after, $lte: last } });
  const confirmed = new Map(rows.map((row) => [row.partNumber, row.etag]));
  const stored = last > after ? await listStored(objects, upload, after) : undefined;
  return Array.from({ length: Math.max(0, last - after) }, (_, index) => {
    const number = after + index + 1;
    const size = partSize({ sizeBytes, partSizeBytes, totalParts }, number);
    const etag = confirmed.get(number) ?? null;
    // Some stores list a part that was sent again twice.
    const found = stored?.get(number)?.filter((part) => part.sizeBytes === size);
    const isThere = found ? found.some((part) => part.etag === etag) : etag !== null;
    if (isThere) return { number, sizeBytes: size, state: 'confirmed', etag };
    const other = found?.at(-1)?.etag ?? null;
    return { number, sizeBytes: size, state: other === null ? 'missing' : 'stored', etag: other };
  });
}

/** @returns undefined if the parts in the store say nothing about the upload, or cannot be listed now */
async function listStored(
  objects: ObjectStore,
  upload: DirectUpload,
  after: number,
): Promise<Map<number, StoredPart[]> | undefined> {
  const { storeUploadId } = upload;
  if (storeUploadId === null || upload.completeRequestedAt || !isDirectUploadOpen(upload.status))
    return undefined;
  try {
    const listed = objects.listParts({ key: partsKeyOf(upload), uploadId: storeUploadId ?? '' }, after);
    const stored = await Promise.race([listed, sleep(READ_DEADLINE_MS, undefined, { ref: false })]);
    // Of an upload that is unknown to the store, the completion begins a new one.
    return stored && Map.groupBy(stored, ({ number }) => number);
  } catch (error) {
    if (!isBucketFailure(error) && outage(error) !== 'object store') throw error;
    return undefined;
  }
}
