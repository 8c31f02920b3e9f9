import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ObjectNotFound } from '../../../adapters/object-store/errors.ts';
import type { ObjectStore, StoredPart } from '../../../adapters/object-store/object-store.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { UploadPart } from '../../../db/entities/uploads/upload-part.ts';
import { originalKey, placeOf } from '../../../domain/object-keys.ts';
import { partSize } from '../../../domain/uploads/upload-plan.ts';
import { partsKeyOf } from './create-upload.ts';
import { namedNumbers } from './missing-parts.ts';
import type { UploadFinding } from './upload-finding.ts';

export type Gathered = { key: string } | UploadFinding;

/**
 * Moves the bytes of an upload out of reach of presigned URLs before they are inspected, so that they cannot change
 * after verification. Idempotent.
 *
 * @returns the key, or why the bytes cannot be gathered
 */
export function gatherUpload(
  deps: { em: EntityManager; objects: ObjectStore },
  intent: UploadIntent,
  signal: AbortSignal,
): Promise<Gathered> {
  return intent.mode === 'single_shot' ? copyObject(deps, intent, signal) : assembleParts(deps, intent);
}

/** The URL of a whole object is valid until it expires, so the file gets a copy under a key that was never signed. */
async function copyObject(
  { objects }: { objects: ObjectStore },
  intent: UploadIntent,
  signal: AbortSignal,
): Promise<Gathered> {
  // Each attempt has its own copy: a late one must not overwrite what another has verified.
  const place = placeOf(intent.tenantId, intent.objectKey);
  const key = originalKey(place, intent.fileId, randomBytes(6).toString('hex'));
  try {
    await objects.copy(intent.objectKey, key, { contentType: intent.contentType, signal });
    return { key };
  } catch (error) {
    if (!(error instanceof ObjectNotFound)) throw error;
    return { kind: 'reopened', reason: { code: 'NOT_UPLOADED', message: 'nothing has been uploaded' } };
  }
}

/** URLs of parts become invalid with their multipart upload, so they cannot change the assembled object. */
async function assembleParts(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  intent: UploadIntent,
): Promise<Gathered> {
  const { id, storeUploadId } = intent;
  const key = partsKeyOf(intent);
  const confirmed = await em.find(UploadPart, { uploadId: id }, { orderBy: { partNumber: 'asc' } });
  const upload = { key, uploadId: storeUploadId ?? '' };
  const stored = storeUploadId === null ? undefined : await objects.listParts(upload);
  if (!stored) {
    // A previous attempt has assembled it.
    if (await objects.stat(key)) return { key };
    return {
      kind: 'restarted',
      reason: { code: 'PARTS_MISSING', message: 'the store has dropped the parts' },
    };
  }
  const wrong = wrongParts(intent, confirmed, stored);
  if (wrong.length > 0) {
    const message = `${namedNumbers(wrong)} not in the store as confirmed; send and confirm them again`;
    return { kind: 'unconfirmed', parts: wrong, reason: { code: 'PARTS_MISSING', message } };
  }
  await objects.completeMultipart(
    upload,
    confirmed.map(({ partNumber, etag }) => ({ number: partNumber, etag })),
  );
  return { key };
}

function wrongParts(intent: UploadIntent, confirmed: UploadPart[], stored: StoredPart[]): number[] {
  const { sizeBytes, partSizeBytes, totalParts } = intent;
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
