import type { z } from 'zod';
import { cleanFilename } from '../../../domain/text.ts';
import { invalidField } from '../../../domain/app-error.ts';
import { planUpload } from '../../../domain/uploads/upload-plan.ts';
import { expectedContent } from '../../../services/uploads/accepted-content.ts';
import type { PromisedFile } from '../../../services/direct-uploads/create-upload.ts';
import type {
  PresignBody,
  PrepareBody,
  ConfirmBatchBody,
  confirmBatchAnswer,
  confirmUploadAnswer,
  pendingBatches,
  prepareAnswer,
} from './schema.ts';
import type { DirectUpload } from '../../../db/entities/uploads/direct-upload.ts';
import { uploadOfIncomingKey } from '../../../domain/object-keys.ts';
import type { FileConfirmation, ConfirmedBatch } from '../../../services/legacy-batches/confirm-batch.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { FileVariant } from '../../../db/entities/files/file-variant.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { isDirectUploadOpen } from '../../../domain/uploads/direct-upload.ts';
import { LEGACY_URL_SECONDS } from '../../../domain/limits.ts';
import { isFinalFailure } from '../../../services/direct-uploads/change-upload.ts';
import type { listWaitingBatches } from '../../../services/legacy-batches/waiting-batches.ts';
import { fileIdOf } from '../../../services/direct-uploads/find-upload.ts';
import { variantUrl } from '../file/present.ts';

type Announced = PrepareBody['files'][number] | PresignBody;

/**
 * The announced properties of a file that its client will upload with one URL.
 *
 * @param pointer its location in the request
 * @throws AppError UNSUPPORTED_MEDIA, VALIDATION_FAILED
 */
export function promisedFile(file: Announced, pointer: string): PromisedFile {
  const plan = planUpload({ sizeBytes: file.size_bytes, mode: 'single_shot' });
  if ('problem' in plan) throw invalidField(`${pointer}/${plan.problem.field}`, plan.problem.message);
  const { contentType, mediaType } = expectedContent({
    contentType: file.content_type,
    filename: file.filename,
  });
  return {
    filename: cleanFilename(file.filename),
    contentType,
    mediaType,
    sizeBytes: file.size_bytes,
    claimedSha256: null,
    title: null,
    tags: [],
    contentCategory: 'general',
    options: { autoDescribe: true, skipDuplicates: false },
  };
}

/**
 * Maps a client's confirmations, by object key, to the uploads of its batch.
 *
 * @throws AppError VALIDATION_FAILED for keys that are not of this batch, or occur twice
 */
export function toConfirmations(
  tenantId: string,
  body: ConfirmBatchBody,
  uploads: DirectUpload[],
): FileConfirmation[] {
  const seen = new Set<string>();
  return body.confirmations.map((entry, index) => {
    const uploadId = uploadOfIncomingKey(tenantId, entry.object_key);
    const known = uploadId !== undefined && uploads.some(({ id }) => id === uploadId);
    if (!known || seen.has(uploadId)) {
      const message = known ? 'comes twice' : 'is not of this batch';
      throw invalidField(`/body/confirmations/${index}/object_key`, message);
    }
    seen.add(uploadId);
    return {
      uploadId,
      success: entry.success,
      sizeBytes: entry.file_size ?? undefined,
      sha256: entry.checksum ?? undefined,
      errorMessage: entry.error_message ?? undefined,
      autoDescribe: body.auto_process,
    };
  });
}

const UPLOADS_AT_ONCE = 3;
const BYTES_A_SECOND = 1_250_000;

/**
 * The URL of an upload, with the object key by which its client identifies it. Signed as of the creation, so that the
 * answer to the same request is the same whenever it is made.
 */
export async function presentPresigned(objects: Pick<ObjectStore, 'presignPut'>, upload: DirectUpload) {
  const expiresAt = new Date(upload.createdAt.getTime() + LEGACY_URL_SECONDS * 1000);
  const { url, headers } = await objects.presignPut(upload.objectKey, {
    contentType: upload.contentType,
    sizeBytes: upload.sizeBytes,
    signedAt: upload.createdAt,
    expiresInSeconds: LEGACY_URL_SECONDS,
  });
  return {
    upload_url: url,
    upload_method: 'PUT' as const,
    upload_fields: null,
    upload_headers: headers,
    object_key: upload.objectKey,
    expires_at: expiresAt.toISOString(),
    image_id: upload.fileId,
  };
}

export async function presentPrepared(
  objects: Pick<ObjectStore, 'presignPut'>,
  batchId: string,
  uploads: DirectUpload[],
): Promise<z.input<typeof prepareAnswer>> {
  const totalBytes = uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    batch_id: batchId,
    intent: 'describe',
    upload_plan: {
      strategy: 'parallel',
      max_concurrent: Math.min(UPLOADS_AT_ONCE, uploads.length),
      retry_policy: { max_attempts: 3, backoff_ms: 1000 },
      timeout_per_upload: LEGACY_URL_SECONDS,
    },
    presigned_urls: await Promise.all(
      uploads.map(async (upload, file_index) => ({
        file_index,
        filename: upload.filename,
        ...(await presentPresigned(objects, upload)),
      })),
    ),
    total_size_bytes: totalBytes,
    estimated_time_seconds: Math.max(1, Math.ceil(totalBytes / BYTES_A_SECOND)),
  };
}

/** @param file the file of the upload, if it exists by now */
export async function presentConfirmed(
  objects: Pick<ObjectStore, 'bucketOf'>,
  upload: DirectUpload,
  file: StoredFile | undefined,
): Promise<z.input<typeof confirmUploadAnswer>> {
  const stored = (file ?? upload).objectKey;
  return {
    upload_id: upload.id,
    image_id: fileIdOf(upload),
    object_key: upload.objectKey,
    storage_path: `${await objects.bucketOf(stored)}/${stored}`,
    confirmed: upload.status === 'COMPLETED',
  };
}

/** @param files the files created from uploads of the batch, with their variants */
export async function presentConfirmedBatch(
  objects: Pick<ObjectStore, 'presignGet'>,
  { session, uploads, confirmed, contradicted }: ConfirmedBatch,
  files: StoredFile[],
  variants: FileVariant[],
): Promise<z.input<typeof confirmBatchAnswer>> {
  const reported = confirmed.length > 0 ? confirmed : uploads;
  const stored = reported.filter(({ status }) => status === 'COMPLETED');
  const failed = reported.filter(
    ({ id, status }) => status === 'FAILED' || (isDirectUploadOpen(status) && contradicted.has(id)),
  );
  return {
    batch_id: session.id,
    successful_uploads: stored.length,
    failed_uploads: failed.length,
    processing_status: confirmed.length > 0 ? progress(confirmed, failed) : 'already_processed',
    failed_files: failed.map((upload) => ({
      object_key: upload.objectKey,
      filename: upload.filename,
      error: (contradicted.get(upload.id) ?? upload.error)?.message ?? 'the upload has failed',
      retryable: !isFinalFailure(upload),
    })),
    message: sentence(confirmed, uploads),
    stored_images: await Promise.all(
      stored.flatMap((upload) => {
        const file = files.find(({ id, deletedAt }) => id === fileIdOf(upload) && !deletedAt);
        return file ? [presentStored(objects, upload, file, variants)] : [];
      }),
    ),
  };
}

async function presentStored(
  objects: Pick<ObjectStore, 'presignGet'>,
  { objectKey }: DirectUpload,
  file: StoredFile,
  variants: FileVariant[],
): Promise<z.input<typeof confirmBatchAnswer>['stored_images'][number]> {
  const thumbnail = variants.find(({ fileId, type }) => fileId === file.id && type === 'small_256');
  return {
    image_id: file.id,
    object_key: objectKey,
    filename: file.filename,
    media_type: file.mediaType,
    thumbnail_url: thumbnail ? await variantUrl(objects, thumbnail) : null,
    variant_status: file.components.variant?.status ?? 'skipped',
    created_at: file.createdAt.toISOString(),
  };
}

function progress(confirmed: DirectUpload[], failed: DirectUpload[]): 'queued' | 'partial' | 'failed' {
  if (failed.length === 0) return 'queued';
  return failed.length === confirmed.length ? 'failed' : 'partial';
}

function sentence(confirmed: DirectUpload[], uploads: DirectUpload[]): string {
  if (confirmed.length === 0) return 'these uploads have ended before';
  const verifying = confirmed.filter(
    (one) => isDirectUploadOpen(one.status) && one.completeRequestedAt,
  ).length;
  const stored = confirmed.filter(({ status }) => status === 'COMPLETED').length;
  const failed = confirmed.filter(({ status }) => status === 'FAILED').length;
  const waiting = uploads.filter((one) => isDirectUploadOpen(one.status) && !one.completeRequestedAt).length;
  return [
    `${stored + verifying} of ${confirmed.length} uploads confirmed`,
    failed > 0 && `${failed} failed`,
    verifying > 0 && `${verifying} still being verified: confirm again, or poll the batch`,
    waiting > 0 && `${waiting} of the batch are not confirmed yet`,
  ]
    .filter(Boolean)
    .join('; ');
}

export function presentPending(
  batches: Awaited<ReturnType<typeof listWaitingBatches>>,
  now = new Date(),
): z.input<typeof pendingBatches> {
  return {
    batches: batches.map(({ session, counts }) => ({
      batch_id: session.id,
      status: session.status === 'pending' ? 'pending' : 'uploading',
      total_files: counts.total,
      confirmed_count: counts.total - counts.pending,
      created_at: session.createdAt.toISOString(),
      age_seconds: Math.floor((now.getTime() - session.createdAt.getTime()) / 1000),
    })),
    has_recoverable: batches.length > 0,
  };
}

/** The result of a recovery. */
export function presentRecovered({ uploads, confirmed }: ConfirmedBatch) {
  const open = uploads.some(({ status }) => status === 'PENDING' || status === 'UPLOADED');
  if (confirmed.length === 0) {
    return open
      ? { status: 'nothing_to_recover' as const, message: 'the store has none of these files' }
      : { status: 'already_processed' as const, message: 'the uploads of this batch have ended before' };
  }
  const failed = confirmed.filter(({ status }) => status === 'FAILED').length;
  const found = confirmed.length - failed;
  return {
    recovered_files: found,
    failed_files: failed,
    status: 'recovered' as const,
    message: `${found} of ${confirmed.length} files confirmed`,
  };
}
