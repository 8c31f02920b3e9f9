import { z } from 'zod';
import { MAX_ABORT_REASON_LENGTH, MAX_TITLE_LENGTH, MAX_UPLOAD_TAGS } from '../../../domain/limits.ts';
import { integerIn, page } from '../../../domain/schemas/query.ts';
import { optional, optionalWith, filledTags, text } from '../../../domain/schemas/text.ts';
import { PART_STATES } from '../../../domain/uploads/direct-upload.ts';
import { MAX_PARTS } from '../../../domain/uploads/upload-plan.ts';
import {
  componentField,
  count,
  createdAt,
  errorMessage,
  fileId,
  filename,
  idParam,
  mediaType,
  pageOf,
  percentage,
  timestamp,
} from '../fields.ts';
import { webhookAnswerFields, webhookBodyFields } from '../request-webhook.ts';
import { STANDARD_DESCRIPTION, STANDARD_KNOWN, standardProblem } from '../upload/compliance.ts';
import { contentCategoryOfFile, directUploadStatus, uploadMode, storage } from '../enums.ts';
import { complianceType, complianceImageType } from '../../../domain/schemas/extractions/compliance.ts';

/** Longer names are refused; stored names are truncated further. */
export const MAX_GIVEN_FILENAME = 4096;

export const bytes = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const partNumber = z.int().min(1).max(MAX_PARTS).describe('Number of the part, from 1');
const uploadId = z.uuid().describe('Id of the direct upload');

export const uploadParams = z.object({ upload_id: idParam('Id of a direct upload') });

export const createBody = z
  .strictObject({
    filename: text(MAX_GIVEN_FILENAME).min(1).describe('Name of the file, without folders'),
    content_type: text(255).describe(
      'MIME type as far as it is known, which may be empty; the leading bytes decide what the file is. Send the ' +
        'bytes with the headers of the answer',
    ),
    size_bytes: bytes.describe('Size in bytes'),
    claimed_file_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 of 64 hexadecimal digits')
      .toLowerCase()
      .describe('SHA-256 of the bytes, hexadecimal; verified'),
    upload_mode: optional(uploadMode).describe('One PUT, or one for each part; by default chosen by size'),
    part_size_bytes: optional(bytes).describe('Size of a part in bytes, from 5242880; only for multipart'),
    title: optional(text(MAX_TITLE_LENGTH)).describe('Title; by default the file name'),
    tags: optionalWith(filledTags(MAX_UPLOAD_TAGS), []).describe('Keywords; repeated ones count once'),
    folder_id: z
      .guid()
      .toLowerCase()
      .nullish()
      .describe('Folder of the file; null: the root, also if the folder is deleted before the upload ends'),
    project_id: z
      .guid()
      .toLowerCase()
      .nullish()
      .describe('Project whose root folder is used if there is no `folder_id`'),
    skip_duplicates: optionalWith(z.boolean(), false).describe(
      'Return the existing file if there is one with the same content',
    ),
    storage_target: optionalWith(storage, 'default').describe('Has no effect'),
    auto_describe: optionalWith(z.boolean(), true).describe('Whether a model describes the file'),
    content_category: optional(contentCategoryOfFile).describe(
      'Category of the content; by default that of the project, otherwise `general`',
    ),
    custom_schema_id: z.guid().nullish().describe('Id of a saved schema, by which the file is extracted'),
    compliance_type: optional(complianceType).describe('Kind of the compliance check; null: none'),
    compliance_standard: optional(text(255).min(1)).describe(STANDARD_DESCRIPTION),
    compliance_image_type: optionalWith(complianceImageType, 'main').describe(
      'Place of the image in its listing',
    ),
    ...webhookBodyFields,
  })
  .refine((body) => !standardProblem(body), STANDARD_KNOWN)
  .meta({ override: { dependentRequired: { compliance_type: ['compliance_standard'] } } });
export type CreateBody = z.output<typeof createBody>;

export const signedHeaders = z.record(z.string(), z.string()).meta({ id: 'SignedHeaders' });

const created = {
  upload_id: uploadId,
  media_type: mediaType,
  object_key: z.string().describe('Key of the bytes in the object store'),
  expires_at: timestamp.describe('Until when the upload can be sent and completed'),
  bucket_name: z.string().describe('Bucket that the bytes go to'),
  ...webhookAnswerFields,
};
const partUrl = z.object({
  part_number: partNumber,
  url: z.url().describe('URL to send the bytes of the part to'),
  expires_at: timestamp.describe('Until when the URL can be used'),
});

export const singleShotAnswer = z
  .object({
    ...created,
    upload_mode: z.literal('single_shot').describe('One PUT, or one for each part'),
    method: z.literal('PUT').describe('HTTP method to send the bytes with'),
    presigned_url: z.url().describe('URL to send the bytes to'),
    headers: componentField(signedHeaders, 'Signed headers: send them unchanged with the bytes'),
    max_size_bytes: bytes.describe('The announced size; the URL accepts no other'),
  })
  .meta({ id: 'SingleShotUpload', description: 'To be sent with one PUT' });

export const createAnswer = z
  .discriminatedUnion('upload_mode', [
    singleShotAnswer,
    z
      .object({
        ...created,
        upload_mode: z.literal('multipart').describe('One PUT, or one for each part'),
        store_upload_id: z.string().describe('Id of the multipart upload in the object store'),
        part_urls: z.array(partUrl).describe('URL of each part'),
        part_size_bytes: bytes.describe('Size of every part but the last, which has the rest, in bytes'),
        total_parts: partNumber.describe('Number of parts'),
      })
      .meta({ id: 'MultipartUpload', description: 'To be sent in parts, each with its own PUT' }),
  ])
  .meta({ id: 'CreatedUpload' });

const uploadRecord = z
  .object({
    upload_id: uploadId,
    upload_mode: uploadMode.describe('One PUT, or one for each part'),
    status: directUploadStatus.describe('State of the upload'),
    media_type: mediaType,
    object_key: z.string().describe('Key of the bytes in the object store'),
    filename,
    size_bytes: bytes.describe('Size in bytes'),
    claimed_file_hash: z
      .string()
      .nullable()
      .describe('SHA-256 that the bytes must have, hexadecimal; null if none was announced'),
    part_size_bytes: bytes
      .nullable()
      .describe('Size of every part but the last, in bytes; null for a single-shot upload'),
    total_parts: partNumber.nullable().describe('Number of parts; null for a single-shot upload'),
    parts_confirmed: count
      .nullable()
      .describe('Number of parts confirmed so far; null for a single-shot upload'),
    progress_percent: percentage
      .nullable()
      .describe('Share of the parts confirmed, in percent; null for a single-shot upload'),
    file_id: z.uuid().nullable().describe('Id of the file; null until the upload is `COMPLETED`'),
    created_at: createdAt,
    expires_at: timestamp.describe('Until when the upload can be sent and completed'),
    confirmed_at: timestamp.nullable().describe('When the bytes were verified; null until then'),
    error_message: errorMessage,
  })
  .meta({ id: 'OpenUpload' });

const MOST_PARTS = 1000;

export const directUploadQuery = z.object({
  parts_after: integerIn(0, MAX_PARTS).default(0).describe('Number of the last part of the page before'),
  parts_limit: integerIn(0, MOST_PARTS).default(100).describe('Most parts of the answer'),
});

export const directUploadAnswer = uploadRecord
  .extend({
    parts: z
      .array(
        z
          .object({
            part_number: partNumber,
            size_bytes: bytes.describe('Size that the part has, or must have, in bytes'),
            state: z
              .enum(PART_STATES)
              .describe(
                '`missing`: to be sent; `stored`: in the store, to be confirmed, or sent again if `etag` shows other bytes; `confirmed`: neither',
              ),
            etag: z.string().nullable().describe('ETag of the part in the store; null if it is missing'),
          })
          .meta({ id: 'UploadPart' }),
      )
      .describe('Parts by number, a page of them; empty for a single-shot upload'),
    has_more_parts: z.boolean().describe('Whether there are parts after the last of this page'),
  })
  .meta({ id: 'UploadIntent' });

export const uploadListQuery = z.object(page(100, 20));
export const uploadListAnswer = z.object(pageOf(uploadRecord)).meta({ id: 'OpenUploadList' });

export const confirmBody = z.strictObject({
  part_number: partNumber,
  etag: z
    .string()
    .regex(/^"?[\x21\x23-\x7e]{1,200}"?$/, 'must be the ETag of the store, with or without its quotes')
    .transform((etag) => etag.replaceAll('"', ''))
    .describe('ETag that the object store answered with'),
  size_bytes: bytes.describe('Size in bytes'),
});

export const confirmAnswer = z
  .object({
    upload_id: uploadId,
    part_number: partNumber,
    parts_confirmed: count.describe('Number of parts confirmed so far'),
    total_parts: partNumber.describe('Number of parts'),
    progress_percent: percentage.describe('Share of the parts confirmed, in percent'),
  })
  .meta({ id: 'ConfirmedPart' });

export const retryPartBody = z.strictObject({ part_number: partNumber });

export const retryPartAnswer = partUrl.extend({ upload_id: uploadId }).meta({ id: 'PartUrl' });

/** Empty: the server relies on the claimed hash and the confirmed parts. */
export const completeBody = z.strictObject({});

export const completeAnswer = z
  .object({
    upload_id: uploadId,
    file_id: fileId,
    media_type: mediaType,
    filename,
    object_key: z.string().describe('Key of the bytes in the object store'),
    size_bytes: bytes.describe('Size in bytes'),
    deduplicated: z
      .boolean()
      .describe(
        'Whether another file had the same content, whose id `file_id` is with `skip_duplicates`; false while verification is in progress',
      ),
    status: z
      .enum(['processing', 'completed'])
      .describe('`processing` until the processing of the file has ended'),
  })
  .meta({ id: 'CompletedUpload' });

export const abortQuery = z.object({
  reason: text(MAX_ABORT_REASON_LENGTH).optional().describe('Reason to keep with the upload'),
});

export const abortAnswer = z
  .object({
    upload_id: uploadId,
    aborted: z.boolean().describe('Whether it is aborted; false if it had already ended otherwise'),
    reason: z.string().nullable().describe('The reason that was given; null without one'),
  })
  .meta({ id: 'AbortedUpload' });
