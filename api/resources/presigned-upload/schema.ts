import { z } from 'zod';
import { MAX_PRESIGNED_BATCH_FILES } from '../../../domain/limits.ts';
import { optionalWith, text } from '../../../domain/schemas/text.ts';
import { bytes, MAX_GIVEN_FILENAME, signedHeaders } from '../direct-upload/schema.ts';
import {
  componentField,
  count,
  createdAt,
  fileId,
  filename,
  idParam,
  jsonObject,
  mediaType,
  message,
  storageTarget,
  thumbnailUrl,
  timestamp,
} from '../fields.ts';
import { componentStatus, verificationLevel, storage, medium } from '../enums.ts';

export const NOT_YET = 'Accepted, but has no effect today: files are always described';
/** The operation that runs, regardless of the request. */
export const runs = z.literal('describe').describe('The operation that runs');

export const batchParams = z.object({ batch_id: idParam('Id of a batch') });

/** Maximum length of an S3 object key. */
const MAX_OBJECT_KEY = 1024;

const idempotencyKey = z
  .string()
  .regex(/^[\w.-]{1,128}$/, '1 to 128 letters, digits, underscores, hyphens and dots')
  .nullish();
const objectKey = z.string().min(1).max(MAX_OBJECT_KEY);
const checksum = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/i, 'must be sha256: and 64 hexadecimal digits')
  .transform((value) => value.slice('sha256:'.length).toLowerCase())
  .nullish()
  .meta({ override: { type: 'string', description: '`sha256:` and 64 hexadecimal digits' } });

const file = {
  filename: text(MAX_GIVEN_FILENAME).min(1).describe('Name of the file, without folders'),
  size_bytes: bytes.describe('Size in bytes'),
  storage_target: storage
    .nullish()
    .describe('The object store: `default`, or `custom` for the bucket of the account'),
  idempotency_key: idempotencyKey.describe(
    'A retry with the same key and body gets the first response, for 24 hours',
  ),
};

export const presignBody = z.strictObject({
  ...file,
  content_type: z
    .enum(['image/jpeg', 'image/jpg', 'image/png', 'image/webp', 'image/gif'])
    .describe('MIME type'),
  purpose: optionalWith(text(100), 'image_analysis').describe('Ignored: every upload is analysed'),
});
export type PresignBody = z.output<typeof presignBody>;

const presigned = {
  upload_url: z.string().describe('URL to send the bytes to'),
  upload_method: z.literal('PUT').describe('HTTP method to send the bytes with'),
  upload_fields: z.null().describe('Always null: POST is not used'),
  upload_headers: componentField(signedHeaders, 'Headers to send with the bytes'),
  object_key: z.string().describe('Key of the bytes in the object store, which identifies the upload'),
  expires_at: timestamp.describe('Expiry of the URL; bytes uploaded by then can be confirmed for two hours'),
};

export const presignAnswer = z
  .object({
    ...presigned,
    upload_id: z.uuid().describe('Id of the direct upload'),
    image_id: z.uuid().describe('Id of the file, once confirmed'),
    max_size_bytes: count.describe('Largest size in bytes'),
    storage_target: storageTarget,
    bucket_name: z.string().describe('Bucket that the bytes go to'),
  })
  .meta({ id: 'LegacyPresignedUpload' });

export const confirmUploadBody = z.strictObject({
  object_key: objectKey.describe('Key of the bytes in the object store, which identifies the upload'),
  size_bytes: bytes.describe('Size in bytes'),
  checksum,
  content_type: optionalWith(text(255), 'image/jpeg').describe('The leading bytes decide what the file is'),
});

export const confirmUploadAnswer = z
  .object({
    upload_id: z.uuid().describe('Id of the direct upload'),
    image_id: fileId,
    object_key: z.string().describe('Key of the bytes in the object store, which identifies the upload'),
    storage_path: z.string().describe('Bucket and key of the stored bytes'),
    confirmed: z
      .boolean()
      .describe('False while verification is in progress; confirm again, or poll the status'),
  })
  .meta({ id: 'LegacyConfirmedUpload' });

export const prepareBody = z.strictObject({
  files: z
    .array(z.strictObject({ ...file, content_type: text(255).describe('MIME type, may be empty') }))
    .min(1)
    .max(MAX_PRESIGNED_BATCH_FILES, `at most ${MAX_PRESIGNED_BATCH_FILES} files`)
    .describe('The files to upload'),
  intent: optionalWith(z.enum(['describe', 'verify', 'rules', 'document_extraction']), 'describe').describe(
    NOT_YET,
  ),
  verification_level: optionalWith(verificationLevel, 'default').describe(NOT_YET),
  additional_params: jsonObject.nullish().describe(NOT_YET),
});
export type PrepareBody = z.output<typeof prepareBody>;

export const prepareAnswer = z
  .object({
    batch_id: z.uuid().describe('Id of the batch, which is an upload session'),
    intent: runs,
    upload_plan: z
      .object({
        strategy: z.literal('parallel').describe('Whether to send the files one after the other or at once'),
        max_concurrent: count.describe('Most uploads at the same time'),
        retry_policy: z
          .object({
            max_attempts: count.describe('Most attempts for each upload'),
            backoff_ms: count.describe('Milliseconds to wait before another attempt'),
          })
          .describe('How to retry an upload that fails'),
        timeout_per_upload: count.describe('Seconds that an upload may take'),
      })
      .describe('How to send the files'),
    presigned_urls: z
      .array(
        z.object({
          file_index: count.describe('Position of the file in the request, from 0'),
          filename,
          ...presigned,
          image_id: z.uuid().describe('Id of the file, once confirmed'),
        }),
      )
      .describe('Where to send each file, in the order of the request'),
    total_size_bytes: count.describe('Size of all files in bytes'),
    estimated_time_seconds: z.number().min(0).describe('Seconds that the uploads take at 10 Mbit/s'),
  })
  .meta({ id: 'LegacyPreparedBatch' });

export const confirmBatchBody = z.strictObject({
  batch_id: z.string().describe('Id of the batch'),
  confirmations: z
    .array(
      z.strictObject({
        object_key: objectKey.describe('Key of the bytes in the object store, which identifies the upload'),
        success: z.boolean().describe('Whether the upload to the object store succeeded'),
        file_size: bytes.nullish().describe('Size of the file in bytes'),
        checksum,
        error_message: z.string().max(2000).nullish().describe('Why the upload failed, as the client saw it'),
        media_type: medium.nullish().describe('Has no effect: the bytes decide'),
      }),
    )
    .min(1)
    .max(MAX_PRESIGNED_BATCH_FILES)
    .describe('How each upload ended on the client'),
  auto_process: optionalWith(z.boolean(), true).describe('Whether to describe the images'),
});
export type ConfirmBatchBody = z.output<typeof confirmBatchBody>;

export const confirmBatchAnswer = z
  .object({
    batch_id: z.uuid().describe('Id of the batch, which is an upload session'),
    successful_uploads: count.describe('Number of uploads that were verified'),
    failed_uploads: count.describe('Number of uploads that failed'),
    processing_status: z
      .enum(['queued', 'partial', 'failed', 'already_processed'])
      .describe('How many of the uploads are accepted for processing'),
    failed_files: z
      .array(
        z.object({
          object_key: z
            .string()
            .describe('Key of the bytes in the object store, which identifies the upload'),
          filename,
          error: z.string().describe('Why the upload failed'),
          retryable: z.boolean().describe('Whether uploading the file again may succeed'),
        }),
      )
      .describe('Uploads that failed'),
    message,
    stored_images: z
      .array(
        z.object({
          image_id: fileId,
          object_key: z
            .string()
            .describe('Key of the bytes in the object store, which identifies the upload'),
          filename,
          media_type: mediaType,
          thumbnail_url: thumbnailUrl,
          variant_status: componentStatus.describe('Status of the variants'),
          created_at: createdAt,
        }),
      )
      .describe('The files created'),
  })
  .meta({ id: 'LegacyConfirmedBatch' });

export const pendingBatches = z
  .object({
    batches: z
      .array(
        z.object({
          batch_id: z.uuid().describe('Id of the batch, which is an upload session'),
          status: z.enum(['pending', 'uploading']).describe('State of the batch'),
          total_files: count.describe('Number of files of the batch'),
          confirmed_count: count.describe('Number of its files that are confirmed'),
          created_at: createdAt,
          age_seconds: count.describe('Seconds since the batch was created'),
        }),
      )
      .describe('Batches that wait for their files'),
    has_recoverable: z.boolean().describe('Whether there are such batches'),
  })
  .meta({ id: 'LegacyPendingBatches' });

export const recoverAnswer = z
  .object({
    batch_id: z.string().describe('Id of the batch, which is an upload session'),
    recovered_files: count.describe('Number of files confirmed by this call'),
    failed_files: count.describe('Number of uploads that failed'),
    status: z
      .enum(['recovered', 'nothing_to_recover', 'already_processed', 'not_found'])
      .describe('Outcome of the recovery'),
    message,
  })
  .meta({ id: 'LegacyRecoveredBatch' });

export const cleanupAnswer = z
  .object({ cleaned_count: count.describe('Number of batches expired by this call'), message })
  .meta({ id: 'LegacyCleanedBatches' });
