import { z } from 'zod';
import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';
import { givenKey } from '../../../services/direct-uploads/find-upload.ts';
import { alias, renameSchema } from '../../http/alias.ts';
import { storeBatch } from '../../multipart/store-batch.ts';
import { storeUpload } from '../../multipart/store-upload.ts';
import { documentDetail, imageDetail } from '../../resources/file/schema.ts';
import { NOT_YET, runs } from '../../resources/presigned-upload/schema.ts';
import {
  batchAnswer,
  batchForm,
  batchFormDocument,
  uploadAnswer,
  uploadFormDocument,
} from '../../resources/upload/schema.ts';
import { fileRoute } from '../files/read-routes.ts';
import { batchUploadRoute, fileUploadRoute } from '../uploads/upload-routes.ts';
import { legacySessionPath } from './upload-session-aliases.ts';
import { stuckAnswer, uploadStatus } from '../../resources/processing/schema.ts';
import { uploadStatusRoute, fileStuckRoute } from '../processing/status-routes.ts';
import { verificationLevel } from '../../resources/enums.ts';

/** The fields of these clients; newer fields keep their defaults. */
const MANY = { tags: true, auto_describe: true, skip_duplicates: true, storage_target: true } as const;
const ONE = { title: true, ...MANY } as const;
const asked = {
  intent: z.enum(['describe', 'verify', 'rules']).default('describe').describe(NOT_YET),
  verification_level: verificationLevel.default('default').describe(NOT_YET),
};
const UPLOAD_FIELDS = new Set(Object.keys(ONE));
const BATCH_RULES = {
  fields: new Set([...Object.keys(MANY), ...Object.keys(asked)]),
  schema: z.object(batchForm.shape).extend(asked),
  ignoreUnknown: true,
} as const;
const keys = {
  object_key: z.string().describe('Key of the original in the object store'),
  batch_id: z
    .uuid()
    .nullable()
    .describe('Id of the batch, which is an upload session; null if the file came alone'),
};
const immediate = batchAnswer.shape.immediate_results.element;

/** Streamed uploads of older clients, and the resulting file. */
export const legacyUploadAliases = [
  alias(fileUploadRoute, {
    path: '/user-files/upload/stream',
    operationId: 'legacyUploadFile',
    summary: 'Upload one file',
    form: z.object(uploadFormDocument.shape).pick({ file: true, ...ONE }),
    rename: {
      file_id: 'image_id',
      upload_completed: 'store_upload_completed',
      thumbnail_generation_started: 'variants_queued',
      analysis_started: 'description_queued',
      existing_file_id: 'skipped_existing_image_id',
    },
    answer: uploadAnswer.extend({
      object_key: z.string().describe('Key of the original in the object store'),
    }),
    handle: (call) => storeUpload(call, { fields: UPLOAD_FIELDS, ignoreUnknown: true }),
    present: (answer, { file }) => ({
      ...answer,
      object_key: file.objectKey,
    }),
  }),

  alias(batchUploadRoute, {
    path: '/user-files/upload/stream-batch',
    operationId: 'legacyUploadBatch',
    summary: 'Upload several files in one request',
    form: z
      .object(batchFormDocument.shape)
      .pick({ files: true, ...MANY })
      .extend(asked),
    rename: { file_id: 'image_id', existing_file_id: 'skipped_existing_image_id' },
    answer: batchAnswer.extend({
      intent: runs,
      immediate_results: z
        .array(
          immediate.extend({
            object_key: z
              .string()
              .nullable()
              .describe('Key of the original in the object store; null if it was not stored'),
            status: z
              .enum(['completed', 'processing', 'failed', 'skipped'])
              .describe('State of the upload; analysis continues in the background'),
          }),
        )
        .describe('For batches of 5 files or fewer: how each upload ended'),
    }),
    handle: (call) => storeBatch(call, BATCH_RULES, TIER_LIMITS[call.principal.tier].filesPerLegacyBatch),
    present: (answer, { sessionId, outcomes }) => ({
      ...answer,
      intent: 'describe',
      immediate_results: answer.immediate_results.map((entry, index) => ({
        ...entry,
        object_key: outcomes[index]?.objectKey ?? null,
        // Stored, and now being processed.
        status: entry.status === 'completed' ? 'processing' : entry.status,
      })),
      status_url: legacySessionPath(sessionId, 'status'),
    }),
  }),

  alias(fileRoute, {
    path: '/user-files/:image_id',
    operationId: 'legacyGetImage',
    summary: 'One file, to poll its description_status',
    query: z.object({}),
    rename: { file_id: 'image_id', id: 'image_id' },
    answer: z.discriminatedUnion('media_type', [
      imageDetail.omit({ formatted_document: true }).extend(keys).meta({ id: 'LegacyImageDetail' }),
      documentDetail.extend(keys).meta({ id: 'LegacyDocumentDetail' }),
    ]),
    present: async (answer, { file }, { em }) => ({
      ...answer,
      object_key: await givenKey(em, file),
      batch_id: file.sessionId ?? null,
    }),
  }),
];

const NAMES = {
  file_id: 'image_id',
  session_id: 'batch_id',
  upload_status: 'upload_intent_status',
  processing_status: 'task_intent_status',
  processing_ids: 'task_intent_ids',
};
const status = uploadStatus.extend({ tenant_id: z.uuid().describe('Id of the account') });
const legacyStatus = renameSchema(status, NAMES).meta({ id: 'LegacyUploadStatus' });

/** Status of files, with the field names of older clients. */
export const legacyStatusAliases = [
  alias(uploadStatusRoute, {
    path: '/uploads/status/:image_id',
    operationId: 'legacyGetUploadStatus',
    summary: 'Status of one image from upload to end',
    rename: NAMES,
    answer: legacyStatus,
    present: (answer, _result, { principal }) => ({ ...answer, tenant_id: principal.tenantId }),
  }),

  alias(fileStuckRoute, {
    path: '/uploads/stuck-uploads',
    operationId: 'legacyListStuckUploads',
    summary: 'Unfinished images without a sign of life',
    rename: NAMES,
    answer: stuckAnswer.extend({ images: z.array(legacyStatus).describe('The stuck files') }),
    present: (answer, _result, { principal }) => ({
      ...answer,
      images: answer.images.map((image) => ({ ...image, tenant_id: principal.tenantId })),
    }),
  }),
];
