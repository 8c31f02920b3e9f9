import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  ObjectNotFound,
  PartCopyUnsupported,
  type ObjectStore,
  type StoredPart,
  type MultipartUpload,
  type UploadedPart,
} from '../../adapters/object-store/object-store.ts';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { UploadPart } from '../../db/entities/uploads/upload-part.ts';
import { originalKey, placeOf } from '../../domain/object-keys.ts';
import { partSize } from '../../domain/uploads/upload-plan.ts';
import { partsKeyOf, newPartsKey } from './create-upload.ts';
import { namedNumbers } from './confirm-part.ts';
import type { UploadFinding } from './inspect-object.ts';

const COPIES_AT_ONCE = 4;

export type Gathered = { key: string } | UploadFinding;

/**
 * Moves the bytes of an upload out of reach of presigned URLs before they are inspected, so that they cannot change
 * after verification. Idempotent.
 *
 * @returns the key, or why the bytes cannot be gathered
 */
export function gatherUpload(
  deps: { em: EntityManager; objects: ObjectStore },
  upload: DirectUpload,
  signal: AbortSignal,
): Promise<Gathered> {
  return upload.mode === 'single_shot' ? copyObject(deps, upload, signal) : assembleParts(deps, upload);
}

/** The URL of a whole object is valid until it expires, so the file gets a copy under a key that was never signed. */
async function copyObject(
  { objects }: { objects: ObjectStore },
  upload: DirectUpload,
  signal: AbortSignal,
): Promise<Gathered> {
  // Each attempt has its own copy: a late one must not overwrite what another has verified.
  const place = placeOf(upload.tenantId, upload.objectKey);
  const key = originalKey(place, upload.fileId, randomBytes(6).toString('hex'));
  try {
    await objects.copy(upload.objectKey, key, { contentType: upload.contentType, signal });
    return { key };
  } catch (error) {
    if (!(error instanceof ObjectNotFound)) throw error;
    return { kind: 'reopened', reason: { code: 'NOT_UPLOADED', message: 'nothing has been uploaded' } };
  }
}

/** URLs of parts become invalid with their multipart upload, so they cannot change the assembled object. */
async function assembleParts(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  upload: DirectUpload,
): Promise<Gathered> {
  const { id, storeUploadId } = upload;
  const key = partsKeyOf(upload);
  const confirmed = await em.find(UploadPart, { uploadId: id }, { orderBy: { partNumber: 'asc' } });
  const multipart = { key, uploadId: storeUploadId ?? '' };
  const stored = storeUploadId === null ? undefined : await objects.listParts(multipart);
  if (!stored) {
    // A previous attempt has assembled it.
    if (await objects.stat(key)) return { key };
    return {
      kind: 'restarted',
      reason: { code: 'PARTS_MISSING', message: 'the object store no longer has the parts' },
    };
  }
  const wrong = wrongParts(upload, confirmed, stored);
  if (wrong.length > 0) {
    const message = `${namedNumbers(wrong)} not in the store as confirmed; send and confirm them again`;
    return { kind: 'unconfirmed', parts: wrong, reason: { code: 'PARTS_MISSING', message } };
  }
  await objects.completeMultipart(
    multipart,
    confirmed.map(({ partNumber, etag }) => ({ number: partNumber, etag })),
  );
  return { key };
}

function wrongParts(upload: DirectUpload, confirmed: UploadPart[], stored: StoredPart[]): number[] {
  const { sizeBytes, partSizeBytes, totalParts } = upload;
  const layout = { sizeBytes, partSizeBytes: partSizeBytes ?? 0, totalParts: totalParts ?? 0 };
  // Some stores list a part that was sent again after it had been copied twice, and assemble the one that is named.
  const byNumber = Map.groupBy(stored, ({ number }) => number);
  return confirmed
    .filter(({ partNumber, etag }) => {
      const part = byNumber.get(partNumber)?.find((listed) => listed.etag === etag);
      return part?.sizeBytes !== partSize(layout, partNumber);
    })
    .map(({ partNumber }) => partNumber);
}

/** The multipart upload that takes the place of one whose assembled object does not match its announcement. */
export interface ReplacedParts {
  multipart: MultipartUpload;
  /** Copies of all parts; undefined where the store cannot copy, so that all have to be sent again. */
  copied: UploadedPart[] | undefined;
}

/**
 * Starts a new multipart upload with the same parts, so that a client sends again only those that are wrong. Its key is
 * a new one: a late attempt to verify or remove the former object cannot reach it.
 */
export async function replaceParts(
  objects: ObjectStore,
  upload: DirectUpload,
  signal: AbortSignal,
): Promise<ReplacedParts> {
  const key = newPartsKey(placeOf(upload.tenantId, upload.objectKey), upload.fileId);
  const multipart = await objects.initiateMultipart(key, { contentType: upload.contentType });
  try {
    return { multipart, copied: await copyParts(objects, upload, multipart, signal) };
  } catch (error) {
    await objects.abortMultipart(multipart);
    throw error;
  }
}

async function copyParts(
  objects: ObjectStore,
  upload: DirectUpload,
  multipart: MultipartUpload,
  signal: AbortSignal,
): Promise<UploadedPart[] | undefined> {
  const { sizeBytes, partSizeBytes, totalParts } = upload;
  const layout = { sizeBytes, partSizeBytes: partSizeBytes ?? 0, totalParts: totalParts ?? 0 };
  const copied: UploadedPart[] = [];
  const numbers = Array.from({ length: layout.totalParts }, (_, index) => index + 1).values();
  const workers = Array.from({ length: COPIES_AT_ONCE }, async () => {
    for (const number of numbers) {
      const first = (number - 1) * layout.partSizeBytes;
      const range = { first, last: first + partSize(layout, number) - 1 };
      copied.push(await objects.copyPart(partsKeyOf(upload), range, multipart, number, { signal }));
    }
  });
  const [failed] = (await Promise.allSettled(workers)).filter(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return copied;
  // The object is missing when the store has lost its parts before they were assembled.
  if (failed.reason instanceof PartCopyUnsupported || failed.reason instanceof ObjectNotFound)
    return undefined;
  throw failed.reason;
}
