import type { z } from 'zod';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { DirectUpload } from '../../../db/entities/uploads/direct-upload.ts';
import { incomingKey, placeOf } from '../../../domain/object-keys.ts';
import { isTerminalPrimary } from '../../../domain/primary-status.ts';
import { partsKeyOf } from '../../../services/direct-uploads/create-upload.ts';
import { fileIdOf } from '../../../services/direct-uploads/find-upload.ts';
import { partSize } from '../../../domain/uploads/upload-plan.ts';
import type { PartView, UploadProgress } from '../../../services/direct-uploads/list-uploads.ts';
import type { completeAnswer, createAnswer, directUploadAnswer, uploadListAnswer } from './schema.ts';

type Presigner = Pick<ObjectStore, 'bucketOf' | 'presignPut' | 'presignParts'>;

/**
 * What a client needs to send the bytes: one URL, or one for each part. URLs are signed as of the creation, so that the
 * answer to the same request is the same whenever it is made.
 */
export async function presentCreated(
  objects: Presigner,
  upload: DirectUpload,
): Promise<z.input<typeof createAnswer>> {
  const { id, tenantId, sizeBytes, partSizeBytes, totalParts, storeUploadId, createdAt } = upload;
  const parts = upload.mode === 'multipart';
  const shared = {
    upload_id: upload.id,
    media_type: upload.mediaType,
    // A single object moves to another key when it is verified.
    object_key: parts ? upload.objectKey : incomingKey(placeOf(tenantId, upload.objectKey), id),
    expires_at: upload.expiresAt.toISOString(),
    bucket_name: await objects.bucketOf(upload.objectKey),
  };
  if (parts && partSizeBytes && totalParts) {
    const numbers = Array.from({ length: totalParts }, (_, index) => index + 1);
    return {
      ...shared,
      upload_mode: 'multipart',
      store_upload_id: storeUploadId ?? '',
      part_urls: await presentPartUrls(objects, upload, numbers, createdAt),
      part_size_bytes: partSizeBytes,
      total_parts: totalParts,
    };
  }
  const { url, headers } = await objects.presignPut(shared.object_key, {
    contentType: upload.contentType,
    sizeBytes,
    sha256: upload.claimedSha256 ?? undefined,
    signedAt: createdAt,
    expiresInSeconds: secondsLeft(upload, createdAt),
  });
  return {
    ...shared,
    upload_mode: 'single_shot',
    method: 'PUT',
    presigned_url: url,
    headers,
    max_size_bytes: sizeBytes,
  };
}

/** URLs for parts of an upload in parts, in the order of their numbers. */
export async function presentPartUrls(
  objects: Presigner,
  upload: DirectUpload,
  numbers: readonly number[],
  signedAt = new Date(),
) {
  const { sizeBytes, partSizeBytes, totalParts, storeUploadId } = upload;
  const layout = { sizeBytes, partSizeBytes: partSizeBytes ?? 0, totalParts: totalParts ?? 0 };
  const urls = await objects.presignParts(
    { key: partsKeyOf(upload), uploadId: storeUploadId ?? '' },
    numbers.map((number) => ({ number, sizeBytes: partSize(layout, number) })),
    { signedAt, expiresInSeconds: secondsLeft(upload, signedAt) },
  );
  const expires_at = upload.expiresAt.toISOString();
  return numbers.map((part_number, index) => ({ part_number, url: urls[index] ?? '', expires_at }));
}

/** The record of a direct upload with a page of its parts. */
export function presentDirectUpload(
  progress: UploadProgress,
  parts: readonly PartView[],
): z.input<typeof directUploadAnswer> {
  const last = parts.at(-1)?.number ?? 0;
  return {
    ...presentRecord(progress),
    parts: parts.map(({ number, sizeBytes, state, etag }) => {
      return { part_number: number, size_bytes: sizeBytes, state, etag };
    }),
    has_more_parts: parts.length > 0 && last < (progress.upload.totalParts ?? 0),
  };
}

/** The record of a direct upload without its parts. */
export function presentRecord({
  upload,
  partsConfirmed,
}: UploadProgress): z.input<typeof uploadListAnswer>['items'][number] {
  const { totalParts } = upload;
  return {
    upload_id: upload.id,
    upload_mode: upload.mode,
    status: upload.status,
    media_type: upload.mediaType,
    object_key: upload.objectKey,
    filename: upload.filename,
    size_bytes: upload.sizeBytes,
    claimed_file_hash: upload.claimedSha256 ?? null,
    part_size_bytes: upload.partSizeBytes ?? null,
    total_parts: totalParts ?? null,
    parts_confirmed: totalParts ? partsConfirmed : null,
    progress_percent: totalParts ? progressPercent(partsConfirmed, totalParts) : null,
    file_id: upload.status === 'COMPLETED' ? fileIdOf(upload) : null,
    created_at: upload.createdAt.toISOString(),
    expires_at: upload.expiresAt.toISOString(),
    confirmed_at: upload.confirmedAt?.toISOString() ?? null,
    error_message: upload.error?.message ?? null,
  };
}

/** @param file the file created from the upload, or the duplicate it was matched to, if it exists by now */
export function presentCompleted(
  upload: DirectUpload,
  file: StoredFile | undefined,
): z.input<typeof completeAnswer> {
  const done = upload.status === 'COMPLETED' && (!file || isTerminalPrimary(file.primaryStatus));
  return {
    upload_id: upload.id,
    file_id: fileIdOf(upload),
    media_type: upload.mediaType,
    filename: upload.filename,
    object_key: upload.objectKey,
    size_bytes: upload.sizeBytes,
    deduplicated: upload.deduplicated,
    status: done ? 'completed' : 'processing',
  };
}

/** Rounded down, so that 100 means complete. */
export function progressPercent(confirmed: number, total: number): number {
  return Math.floor((confirmed / total) * 1000) / 10;
}

function secondsLeft({ expiresAt }: DirectUpload, from: Date): number {
  return Math.max(1, Math.floor((expiresAt.getTime() - from.getTime()) / 1000));
}
