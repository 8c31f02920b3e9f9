import { z } from 'zod';
import { MAX_LEGACY_HASHES_CHECKED } from '../../../domain/limits.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import { duplicatesAnswer, duplicatesBody } from '../files/duplicates-schema.ts';
import { quotaAnswer } from '../files/quota-schema.ts';
import { imageDetail, statusShape, uploadForm, uploadFormDocument } from '../files/schema.ts';
import { uploadStatus } from '../files/status-schema.ts';
import {
  batchAnswer,
  batchForm,
  batchFormDocument,
  sessionList,
  sessionRecord,
  sessionResults,
  sessionSummary,
} from '../upload-sessions/schema.ts';

export const VERIFICATION_LEVELS = ['default', 'quick', 'standard', 'thorough', 'critical'] as const;

export const NOT_YET = 'Accepted; whatever is asked for, files are described and nothing more runs today';

/** What ran or will run, whatever the client asked for. */
export const runs = z.literal('describe').meta({ description: 'What runs' });

export const imageParams = z.object({
  image_id: z.string().meta({ description: 'UUID, or its first 8 characters' }),
});

export const batchParams = z.object({ batch_id: z.string().meta({ description: 'UUID' }) });

const SINGLE = {
  title: true,
  tags: true,
  auto_describe: true,
  skip_duplicates: true,
  storage_target: true,
} as const;
export const legacyUploadForm = z.object(uploadForm.shape).pick(SINGLE);
export const legacyUploadDocument = z.object(uploadFormDocument.shape).pick({ file: true, ...SINGLE });

export const legacyUploadAnswer = z
  .object({
    image_id: z.uuid(),
    object_key: z.string(),
    upload_method: z.literal('STREAMING'),
    status: z.enum(['completed', 'processing', 'skipped']),
    processing_time_ms: z.number(),
    store_upload_completed: z.boolean(),
    variants_queued: z.boolean(),
    description_queued: z.boolean(),
    skipped: z.boolean(),
    skipped_existing_image_id: z.uuid().nullable(),
    storage_target: z.enum(['default', 'custom']),
    media_type: z.enum(MEDIA_TYPES),
    document_type: z.null(),
    text_extraction_status: z.null(),
  })
  .meta({ id: 'LegacyUploadAnswer' });

const MANY = { tags: true, auto_describe: true, skip_duplicates: true, storage_target: true } as const;
const asked = {
  intent: z.enum(['describe', 'verify', 'rules']).default('describe').meta({ description: NOT_YET }),
  verification_level: z.enum(VERIFICATION_LEVELS).default('default').meta({ description: NOT_YET }),
};
/** The fields of a batch that these clients know; those of newer ones keep their defaults. */
export const legacyBatchForm = z.object(batchForm.shape).extend(asked);
export const LEGACY_BATCH_FIELDS = new Set([...Object.keys(MANY), ...Object.keys(asked)]);
export const legacyBatchDocument = z
  .object(batchFormDocument.shape)
  .pick({ files: true, ...MANY })
  .extend(asked);

const immediate = batchAnswer.shape.immediate_results.element;
export const legacyBatchAnswer = z
  .object({
    ...batchAnswer.shape,
    intent: runs,
    immediate_results: z.array(
      z.object({
        ...immediate.omit({ file_id: true, existing_file_id: true }).shape,
        image_id: z.uuid().nullable(),
        object_key: z.string().nullable(),
        status: z.enum(['completed', 'processing', 'failed', 'skipped']),
        skipped_existing_image_id: z.uuid().nullable(),
      }),
    ),
  })
  .meta({ id: 'LegacyBatchAnswer' });

export const legacyImageDetail = z
  .object({
    ...imageDetail.omit({ id: true, formatted_document: true }).shape,
    image_id: z.uuid(),
    object_key: z.string(),
    batch_id: z.uuid().nullable(),
  })
  .meta({ id: 'LegacyImageDetail' });

export const legacyQuotaAnswer = quotaAnswer
  .pick({
    can_proceed: true,
    requested: true,
    available: true,
    monthly_limit: true,
    current_usage: true,
    message: true,
  })
  .meta({ id: 'LegacyQuotaCheck' });

export const legacyDuplicatesBody = z.strictObject({
  hashes: duplicatesBody.shape.hashes.max(MAX_LEGACY_HASHES_CHECKED),
});
export const legacyDuplicatesAnswer = z
  .object({
    duplicates: z.array(z.object({ hash: z.string(), image_id: z.uuid(), filename: z.string() })),
    unique: duplicatesAnswer.shape.unique,
  })
  .meta({ id: 'LegacyCheckedHashes' });

export const legacyUploadStatus = z
  .object({
    ...uploadStatus.omit({ file_id: true, session_id: true, processing_ids: true, component_statuses: true })
      .shape,
    image_id: z.uuid(),
    tenant_id: z.uuid(),
    batch_id: z.uuid().nullable(),
    component_statuses: z.object({
      ...statusShape,
      upload_intent_status: z.enum(['pending', 'processing', 'completed', 'failed']),
      task_intent_status: z.enum(PRIMARY_STATUSES),
    }),
    task_intent_ids: z.array(z.string()).meta({ description: 'Workflow ids' }),
  })
  .meta({ id: 'LegacyUploadStatus' });

export const legacyStuckAnswer = z
  .object({ stuck_count: z.number().int(), images: z.array(legacyUploadStatus) })
  .meta({ id: 'LegacyStuckUploads' });

const completion = sessionRecord.shape.recent_completions.element;
export const legacySession = z
  .object({
    ...sessionRecord.shape,
    recent_completions: z.array(
      z.object({ ...completion.omit({ file_id: true }).shape, image_id: z.uuid().nullable() }),
    ),
  })
  .meta({ id: 'LegacyUploadSession' });

const result = sessionResults.shape.results.element;
export const legacySessionResults = z
  .object({
    ...sessionResults.shape,
    results: z.array(
      z.object({
        ...result.omit({ file_id: true }).shape,
        image_id: z.uuid().nullable(),
        object_key: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'LegacyUploadSessionResults' });

export const legacySessionList = z
  .object({ ...sessionList.omit({ items: true }).shape, sessions: sessionList.shape.items })
  .meta({ id: 'LegacyUploadSessionList' });

export const legacyBatchStatus = z
  .object({
    batch_id: z.uuid(),
    tenant_id: z.uuid(),
    ...sessionSummary.omit({ session_id: true }).shape,
  })
  .meta({ id: 'LegacyBatchStatus' });
