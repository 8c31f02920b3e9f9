import { z } from 'zod';
import { MAX_PRESIGNED_BATCH_FILES } from '../../../domain/limits.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { optionalWith } from '../../../domain/schemas/absent.ts';
import { text } from '../../../domain/schemas/text.ts';
import { bytes, MAX_GIVEN_FILENAME } from '../upload-intent/schema.ts';
import { componentStatus, count, idParam, timestamp, url } from '../fields.ts';

export const VERIFICATION_LEVELS = ['default', 'quick', 'standard', 'thorough', 'critical'] as const;
export const NOT_YET = 'Accepted, but has no effect today: files are always described';
/** What runs, regardless of the request. */
export const runs = z.literal('describe').meta({ description: 'What runs' });

export const batchParams = z.object({ batch_id: idParam('Id of a batch') });

/** Maximum length of an S3 object key. */
const MAX_OBJECT_KEY = 1024;

const idempotencyKey = z
  .string()
  .regex(/^[\w.-]{1,128}$/, '1 to 128 letters, digits, underscores, hyphens and dots')
  .nullish();
const storageTarget = z.enum(['default', 'custom']).nullish();
const objectKey = z.string().min(1).max(MAX_OBJECT_KEY);
const checksum = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/i, 'must be sha256: and 64 hexadecimal digits')
  .transform((value) => value.slice('sha256:'.length).toLowerCase())
  .nullish()
  .meta({ override: { type: 'string', description: '`sha256:` and 64 hexadecimal digits' } });

const file = {
  filename: text(MAX_GIVEN_FILENAME).min(1),
  size_bytes: bytes,
  storage_target: storageTarget,
  idempotency_key: idempotencyKey.meta({
    description: 'A retry with the same key and body gets the first response, for 24 hours',
  }),
};

export const presignBody = z.strictObject({
  ...file,
  content_type: z.enum(['image/jpeg', 'image/jpg', 'image/png', 'image/webp', 'image/gif']),
  purpose: optionalWith(text(100), 'image_analysis').meta({
    description: 'Ignored: every upload is analysed',
  }),
});
export type PresignBody = z.output<typeof presignBody>;

const presigned = {
  upload_url: z.string(),
  upload_method: z.literal('PUT'),
  upload_fields: z.null().meta({ description: 'For POST, which is not used' }),
  upload_headers: z.record(z.string(), z.string()).meta({ description: 'Must be sent with the bytes' }),
  object_key: z.string(),
  expires_at: timestamp.meta({
    description: 'Expiry of the URL; bytes uploaded by then can be confirmed for two hours',
  }),
};

export const presignAnswer = z
  .object({
    ...presigned,
    upload_id: z.uuid(),
    image_id: z.uuid().meta({ description: 'Id of the file, once confirmed' }),
    max_size_bytes: count,
    storage_target: z.enum(['default', 'custom']),
    bucket_name: z.string(),
  })
  .meta({ id: 'LegacyPresignedUpload' });

export const confirmUploadBody = z.strictObject({
  object_key: objectKey,
  size_bytes: bytes,
  checksum,
  content_type: optionalWith(text(255), 'image/jpeg').meta({
    description: 'The leading bytes decide what the file is',
  }),
});

export const confirmUploadAnswer = z
  .object({
    upload_id: z.uuid(),
    image_id: z.uuid(),
    object_key: z.string(),
    storage_path: z.string().meta({ description: 'Bucket and key of the stored bytes' }),
    confirmed: z
      .boolean()
      .meta({ description: 'False while verification is in progress; confirm again, or poll the status' }),
  })
  .meta({ id: 'LegacyConfirmedUpload' });

export const prepareBody = z.strictObject({
  files: z
    .array(z.strictObject({ ...file, content_type: text(255).min(1) }))
    .min(1)
    .max(MAX_PRESIGNED_BATCH_FILES, `at most ${MAX_PRESIGNED_BATCH_FILES} files`),
  intent: optionalWith(z.enum(['describe', 'verify', 'rules', 'document_extraction']), 'describe').meta({
    description: NOT_YET,
  }),
  verification_level: optionalWith(z.enum(VERIFICATION_LEVELS), 'default').meta({ description: NOT_YET }),
  additional_params: z.record(z.string(), z.unknown()).nullish().meta({ description: NOT_YET }),
});
export type PrepareBody = z.output<typeof prepareBody>;

export const prepareAnswer = z
  .object({
    batch_id: z.uuid(),
    intent: runs,
    upload_plan: z.object({
      strategy: z.literal('parallel'),
      max_concurrent: count,
      retry_policy: z.object({ max_attempts: count, backoff_ms: count }),
      timeout_per_upload: count.meta({ description: 'Seconds' }),
    }),
    presigned_urls: z.array(
      z.object({ file_index: count, filename: z.string(), ...presigned, image_id: z.uuid() }),
    ),
    total_size_bytes: count,
    estimated_time_seconds: z.number().min(0).meta({ description: 'At 10 Mbit/s' }),
  })
  .meta({ id: 'LegacyPreparedBatch' });

export const confirmBatchBody = z.strictObject({
  batch_id: z.string().meta({ description: 'UUID' }),
  confirmations: z
    .array(
      z.strictObject({
        object_key: objectKey,
        success: z.boolean(),
        file_size: bytes.nullish(),
        checksum,
        error_message: z.string().max(2000).nullish(),
        media_type: z.enum(['image', 'document']).nullish().meta({ description: 'The bytes decide' }),
      }),
    )
    .min(1)
    .max(MAX_PRESIGNED_BATCH_FILES),
  auto_process: optionalWith(z.boolean(), true).meta({ description: 'False skips descriptions' }),
});
export type ConfirmBatchBody = z.output<typeof confirmBatchBody>;

export const confirmBatchAnswer = z
  .object({
    batch_id: z.uuid(),
    successful_uploads: count,
    failed_uploads: count,
    processing_status: z.enum(['queued', 'partial', 'failed', 'already_processed']),
    failed_files: z.array(
      z.object({ object_key: z.string(), filename: z.string(), error: z.string(), retryable: z.boolean() }),
    ),
    message: z.string(),
    stored_images: z.array(
      z.object({
        image_id: z.uuid(),
        object_key: z.string(),
        filename: z.string(),
        media_type: z.enum(MEDIA_TYPES),
        thumbnail_url: url,
        variant_status: componentStatus,
        created_at: timestamp,
      }),
    ),
  })
  .meta({ id: 'LegacyConfirmedBatch' });

export const pendingBatches = z
  .object({
    batches: z.array(
      z.object({
        batch_id: z.uuid(),
        status: z.enum(['pending', 'uploading']),
        total_files: count,
        confirmed_count: count,
        created_at: timestamp,
        age_seconds: count,
      }),
    ),
    has_recoverable: z.boolean(),
  })
  .meta({ id: 'LegacyPendingBatches' });

export const recoverAnswer = z
  .object({
    batch_id: z.string(),
    recovered_files: count,
    failed_files: count,
    status: z.enum(['recovered', 'nothing_to_recover', 'already_processed', 'not_found']),
    message: z.string(),
  })
  .meta({ id: 'LegacyRecoveredBatch' });

export const cleanupAnswer = z
  .object({ cleaned_count: count, message: z.string() })
  .meta({ id: 'LegacyCleanedBatches' });
