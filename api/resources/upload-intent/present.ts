import type { z } from 'zod';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { incomingKey, placeOf } from '../../../domain/object-keys.ts';
import { isTerminalPrimary } from '../../../domain/primary-status.ts';
import { partsKeyOf } from '../../../services/uploads/direct/create-upload.ts';
import { fileIdOf } from '../../../services/uploads/direct/find-upload.ts';
import { partSize } from '../../../domain/uploads/upload-plan.ts';
import type { completeAnswer, createAnswer, intentAnswer } from './schema.ts';

type Presigner = Pick<ObjectStore, 'bucketOf' | 'presignPut' | 'presignParts'>;

/**
 * What a client needs to send the bytes: one URL, or one for each part. URLs are signed as of the creation, so that the
 * answer to the same request is the same whenever it is made.
 */
export async function presentCreated(
  objects: Presigner,
  intent: UploadIntent,
): Promise<z.input<typeof createAnswer>> {
  const { id, tenantId, sizeBytes, partSizeBytes, totalParts, storeUploadId, createdAt } = intent;
  const parts = intent.mode === 'multipart';
  const shared = {
    upload_id: intent.id,
    media_type: intent.mediaType,
    // A single object moves to another key when it is verified.
    object_key: parts ? intent.objectKey : incomingKey(placeOf(tenantId, intent.objectKey), id),
    expires_at: intent.expiresAt.toISOString(),
    bucket_name: await objects.bucketOf(intent.objectKey),
  };
  if (parts && partSizeBytes && totalParts) {
    const numbers = Array.from({ length: totalParts }, (_, index) => index + 1);
    return {
      ...shared,
      upload_mode: 'multipart',
      store_upload_id: storeUploadId ?? '',
      part_urls: await presentPartUrls(objects, intent, numbers, createdAt),
      part_size_bytes: partSizeBytes,
      total_parts: totalParts,
    };
  }
  const { url, headers } = await objects.presignPut(shared.object_key, {
    contentType: intent.contentType,
    sizeBytes,
    sha256: intent.claimedSha256 ?? undefined,
    signedAt: createdAt,
    expiresInSeconds: secondsLeft(intent, createdAt),
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
  intent: UploadIntent,
  numbers: readonly number[],
  signedAt = new Date(),
) {
  const { sizeBytes, partSizeBytes, totalParts, storeUploadId } = intent;
  const layout = { sizeBytes, partSizeBytes: partSizeBytes ?? 0, totalParts: totalParts ?? 0 };
  const urls = await objects.presignParts(
    { key: partsKeyOf(intent), uploadId: storeUploadId ?? '' },
    numbers.map((number) => ({ number, sizeBytes: partSize(layout, number) })),
    { signedAt, expiresInSeconds: secondsLeft(intent, signedAt) },
  );
  const expires_at = intent.expiresAt.toISOString();
  return numbers.map((part_number, index) => ({ part_number, url: urls[index] ?? '', expires_at }));
}

/** The record of an upload intent. */
export function presentIntent(intent: UploadIntent, partsConfirmed: number): z.input<typeof intentAnswer> {
  const { totalParts } = intent;
  return {
    upload_id: intent.id,
    upload_mode: intent.mode,
    status: intent.status,
    media_type: intent.mediaType,
    object_key: intent.objectKey,
    filename: intent.filename,
    size_bytes: intent.sizeBytes,
    total_parts: totalParts ?? null,
    parts_confirmed: totalParts ? partsConfirmed : null,
    progress_percent: totalParts ? progressPercent(partsConfirmed, totalParts) : null,
    file_id: intent.status === 'COMPLETED' ? fileIdOf(intent) : null,
    created_at: intent.createdAt.toISOString(),
    expires_at: intent.expiresAt.toISOString(),
    confirmed_at: intent.confirmedAt?.toISOString() ?? null,
    error_message: intent.error?.message ?? null,
  };
}

/** @param file the file created from the upload, or the duplicate it was matched to, if it exists by now */
export function presentCompleted(
  intent: UploadIntent,
  file: StoredFile | undefined,
): z.input<typeof completeAnswer> {
  const done = intent.status === 'COMPLETED' && (!file || isTerminalPrimary(file.primaryStatus));
  return {
    upload_id: intent.id,
    file_id: fileIdOf(intent),
    media_type: intent.mediaType,
    filename: intent.filename,
    object_key: intent.objectKey,
    size_bytes: intent.sizeBytes,
    deduplicated: intent.deduplicated,
    status: done ? 'completed' : 'processing',
  };
}

/** Rounded down, so that 100 means complete. */
export function progressPercent(confirmed: number, total: number): number {
  return Math.floor((confirmed / total) * 1000) / 10;
}

function secondsLeft({ expiresAt }: UploadIntent, from: Date): number {
  return Math.max(1, Math.floor((expiresAt.getTime() - from.getTime()) / 1000));
}
