import { z } from 'zod';
import { COMPLIANCE_IMAGE_TYPES, COMPLIANCE_TYPES } from '../../../domain/compliance/compliance.ts';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import {
  MAX_ABORT_REASON_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TITLE_LENGTH,
  MAX_UPLOAD_TAGS,
} from '../../../domain/limits.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { optional, optionalWith } from '../../../domain/schemas/absent.ts';
import { filledTags, text } from '../../../domain/schemas/text.ts';
import { INTENT_STATUSES } from '../../../domain/uploads/upload-intent.ts';
import { MAX_PARTS, UPLOAD_MODES } from '../../../domain/uploads/upload-plan.ts';
import { count, idParam, percentage, timestamp } from '../fields.ts';
import { STANDARD_DESCRIPTION, STANDARD_KNOWN, standardProblem } from '../upload/compliance.ts';

/** Longer names are refused; stored names are truncated further. */
export const MAX_GIVEN_FILENAME = 4096;

export const bytes = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const partNumber = z.int().min(1).max(MAX_PARTS);
const uploadId = z.uuid();
const mediaType = z.enum(MEDIA_TYPES);

export const uploadParams = z.object({ upload_id: idParam('Id of a direct upload') });

export const createBody = z
  .strictObject({
    filename: text(MAX_GIVEN_FILENAME).min(1),
    content_type: text(255)
      .min(1)
      .meta({ description: 'Sent with the bytes; their leading bytes decide what the file is' }),
    size_bytes: bytes,
    claimed_file_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 of 64 hexadecimal digits')
      .toLowerCase(),
    upload_mode: optional(z.enum(UPLOAD_MODES)).meta({ description: 'Chosen by size when absent' }),
    part_size_bytes: optional(bytes).meta({ description: 'multipart only, from 5242880' }),
    title: optional(text(MAX_TITLE_LENGTH)),
    tags: optionalWith(
      filledTags(MAX_UPLOAD_TAGS).meta({
        override: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: MAX_TAG_LENGTH },
          maxItems: MAX_UPLOAD_TAGS,
        },
      }),
      [],
    ).meta({ description: 'Repeated ones count once' }),
    folder_id: z.guid().toLowerCase().nullish().meta({
      description:
        'Where the file goes; null: the root, also if the folder is deleted before the upload ends',
    }),
    project_id: z.guid().toLowerCase().nullish().meta({
      description: 'Its root folder is used when there is no folder_id',
    }),
    skip_duplicates: optionalWith(z.boolean(), false),
    storage_target: optionalWith(z.enum(['default', 'custom']), 'default').meta({
      description: 'Not honoured',
    }),
    auto_describe: optionalWith(z.boolean(), true),
    content_category: optional(z.enum(CONTENT_CATEGORIES)).meta({
      description: 'By default that of the project, otherwise `general`',
    }),
    custom_schema_id: z.guid().nullish(),
    compliance_type: optional(z.enum(COMPLIANCE_TYPES)),
    compliance_standard: optional(text(255).min(1)).meta({ description: STANDARD_DESCRIPTION }),
    compliance_image_type: optionalWith(z.enum(COMPLIANCE_IMAGE_TYPES), 'main'),
  })
  .refine((body) => !standardProblem(body), STANDARD_KNOWN)
  .meta({ override: { dependentRequired: { compliance_type: ['compliance_standard'] } } });
export type CreateBody = z.output<typeof createBody>;

const created = {
  upload_id: uploadId,
  media_type: mediaType,
  object_key: z.string(),
  expires_at: timestamp,
  bucket_name: z.string(),
};
const partUrl = z.object({ part_number: partNumber, url: z.url(), expires_at: timestamp });

export const createAnswer = z
  .discriminatedUnion('upload_mode', [
    z
      .object({
        ...created,
        upload_mode: z.literal('single_shot'),
        method: z.literal('PUT'),
        presigned_url: z.url(),
        headers: z
          .record(z.string(), z.string())
          .meta({ description: 'Signed: send them unchanged with the bytes' }),
        max_size_bytes: bytes.meta({ description: 'The announced size; the URL accepts no other' }),
      })
      .meta({ id: 'SingleShotUpload', description: 'To be sent with one PUT' }),
    z
      .object({
        ...created,
        upload_mode: z.literal('multipart'),
        store_upload_id: z.string(),
        part_urls: z.array(partUrl),
        part_size_bytes: bytes.meta({ description: 'Of every part except the last, which has the rest' }),
        total_parts: partNumber,
      })
      .meta({ id: 'MultipartUpload', description: 'To be sent in parts, each with its own PUT' }),
  ])
  .meta({ id: 'CreatedUpload' });

export const intentAnswer = z
  .object({
    upload_id: uploadId,
    upload_mode: z.enum(UPLOAD_MODES),
    status: z.enum(INTENT_STATUSES),
    media_type: mediaType,
    object_key: z.string(),
    filename: z.string(),
    size_bytes: bytes,
    total_parts: partNumber.nullable(),
    parts_confirmed: count.nullable(),
    progress_percent: percentage.nullable(),
    file_id: z.uuid().nullable().meta({ description: 'Once COMPLETED' }),
    created_at: timestamp,
    expires_at: timestamp,
    confirmed_at: timestamp.nullable(),
    error_message: z.string().nullable(),
  })
  .meta({ id: 'UploadIntent' });

export const confirmBody = z.strictObject({
  part_number: partNumber,
  etag: z
    .string()
    .regex(/^"?[\x21\x23-\x7e]{1,200}"?$/, 'must be the ETag of the store, with or without its quotes')
    .transform((etag) => etag.replaceAll('"', '')),
  size_bytes: bytes,
});

export const confirmAnswer = z
  .object({
    upload_id: uploadId,
    part_number: partNumber,
    parts_confirmed: count,
    total_parts: partNumber,
    progress_percent: percentage,
  })
  .meta({ id: 'ConfirmedPart' });

export const retryPartBody = z.strictObject({ part_number: partNumber });

export const retryPartAnswer = partUrl.extend({ upload_id: uploadId }).meta({ id: 'PartUrl' });

/** Empty: the server relies on the claimed hash and the confirmed parts. */
export const completeBody = z.strictObject({});

export const completeAnswer = z
  .object({
    upload_id: uploadId,
    file_id: z.uuid(),
    media_type: mediaType,
    filename: z.string(),
    object_key: z.string(),
    size_bytes: bytes,
    deduplicated: z.boolean().meta({
      description:
        'Another file had the same content; with skip_duplicates, file_id is its id. False while verification is in progress',
    }),
    status: z.enum(['processing', 'completed']),
  })
  .meta({ id: 'CompletedUpload' });

export const abortQuery = z.object({ reason: text(MAX_ABORT_REASON_LENGTH).optional() });

export const abortAnswer = z
  .object({
    upload_id: uploadId,
    aborted: z
      .boolean()
      .meta({ description: 'False if it had already ended otherwise; then nothing changes' }),
    reason: z.string().nullable(),
  })
  .meta({ id: 'AbortedUpload' });
