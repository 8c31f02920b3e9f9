import { z } from 'zod';
import { DOCUMENT_TYPES } from '../../../domain/documents/document-type.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { COMPONENT_NAMES } from '../../../domain/pipelines/index.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import { optional } from '../../../domain/schemas/absent.ts';
import { integerIn } from '../../../domain/schemas/query.ts';
import { STUCK_CAUSES } from '../../../domain/stuck.ts';
import {
  componentStatus,
  count,
  documentCounts,
  duration,
  explanation,
  statusShape,
  timestamp,
} from '../fields.ts';

const MAX_PAGE_NUMBER = 1_000_000;
const MAX_RETRIED_PAGES = 1000;
/** A year. */
const MAX_STUCK_MINUTES = 366 * 24 * 60;

export const stuckMinutes = integerIn(1, MAX_STUCK_MINUTES).default(30).meta({
  description: 'Unfinished work without a sign of life for this many minutes is stuck',
});

export const uploadStatusQuery = z.object({ stuck_minutes: stuckMinutes });

export const uploadStatus = z
  .object({
    file_id: z.uuid(),
    session_id: z.uuid().nullable(),
    unified_status: z.enum([
      'uploading',
      'confirming',
      'queued',
      'processing',
      'completed',
      'failed',
      'partially_completed',
    ]),
    component_statuses: z.object({
      ...statusShape,
      upload_status: z
        .enum(['pending', 'processing', 'completed', 'failed'])
        .meta({ description: 'Of a direct upload; completed once there is a file' }),
      processing_status: z.enum(PRIMARY_STATUSES),
    }),
    processing_ids: z.array(z.string()).meta({ description: 'Workflow ids' }),
    error_message: z
      .string()
      .nullable()
      .meta({ description: 'The latest error: final, or of an attempt that will be retried' }),
    last_error_at: timestamp.nullable(),
    created_at: timestamp,
    last_updated_at: timestamp,
    completed_at: timestamp.nullable(),
    retry_count: count.meta({ description: 'Explicit retries' }),
    processing_duration_seconds: z
      .number()
      .min(0)
      .meta({ description: 'Of the newest run, up to its end or now' }),
    is_stuck: z.boolean(),
    is_terminal: z.boolean(),
    cause: z.enum(STUCK_CAUSES).nullable().meta({ description: 'Why it is stuck' }),
    last_sign_of_life_at: timestamp.nullable().meta({ description: 'Of a stuck file' }),
  })
  .meta({ id: 'UnifiedUploadStatus' });

export const stuckQuery = z.object({
  stuck_minutes: stuckMinutes,
  limit: integerIn(1, 500).default(100),
});

export const stuckAnswer = z
  .object({ stuck_count: count, images: z.array(uploadStatus) })
  .meta({ id: 'StuckFiles' });

const progress = {
  status: componentStatus,
  attempt: count.meta({ description: 'Attempts begun' }),
  started_at: timestamp.nullable(),
  completed_at: timestamp.nullable(),
  error_message: z.string().nullable(),
};

export const processingStatus = z
  .object({
    file_id: z.uuid(),
    media_type: z.enum(MEDIA_TYPES),
    primary_status: z.enum(PRIMARY_STATUSES),
    components: z.record(
      z.string(),
      z.object({
        ...progress,
        steps: z.array(z.object({ step: z.string(), title: z.string(), ...progress })),
      }),
    ),
    explanation,
    document_id: z.uuid().optional().meta({ description: 'Of a document: its id' }),
    filename: z.string().optional(),
    document_type: z.enum(DOCUMENT_TYPES).optional(),
    text_extraction_status: componentStatus.optional(),
    ...documentCounts,
    pages: z
      .object({ pending: count, processing: count, completed: count, failed: count })
      .optional()
      .meta({ description: 'Of a document: its pages by status' }),
    created_at: timestamp.optional(),
    processing_started_at: timestamp.nullable().optional(),
    completed_at: timestamp.nullable().optional(),
    error_message: z.string().nullable().optional(),
  })
  .meta({ id: 'ProcessingStatus' });

const failure = z.object({ code: z.string(), message: z.string() });

export const timelineAnswer = z
  .object({
    file_id: z.uuid(),
    workflow_id: z.string(),
    primary_status: z.enum(PRIMARY_STATUSES),
    components: z.record(z.string(), z.object({ status: componentStatus, error: failure.nullable() })),
    explanation,
    runs: z.array(
      z.object({
        generation: z.int().min(1),
        run_id: z.string(),
        outcome: z.enum(['running', 'completed', 'cancelled', 'terminated', 'timed_out', 'failed']),
        started_at: timestamp,
        ended_at: timestamp.nullable(),
        reason: failure.nullable(),
        steps: z.array(
          z.object({
            step: z.string(),
            component: z.string(),
            attempt: count.meta({ description: 'Attempts begun' }),
            outcome: z.enum(['waiting', 'running', 'completed', 'failed', 'cancelled']),
            scheduled_at: timestamp,
            started_at: timestamp.nullable(),
            ended_at: timestamp.nullable(),
            duration_ms: duration.nullable().meta({ description: 'Of the last attempt' }),
            error: failure.nullable(),
            operator_pause: z
              .object({
                since: timestamp.nullable(),
                identity: z.string().nullable(),
                reason: z.string().nullable(),
              })
              .nullable()
              .meta({ description: 'Set while an operator has paused the step in Temporal' }),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'FileTimeline' });

export const retryBody = z
  .strictObject({
    components: optional(z.array(z.enum(COMPONENT_NAMES)).min(1)),
    pages: optional(z.array(z.int().min(1).max(MAX_PAGE_NUMBER)).min(1).max(MAX_RETRIED_PAGES)).meta({
      description: 'Of a document: read these pages again; the others keep their content',
    }),
  })
  .refine(({ components, pages }) => !components || !pages, {
    path: ['pages'],
    message: 'name either components or pages',
  })
  .meta({ override: { not: { required: ['components', 'pages'] } } });

export const retryAnswer = z
  .object({
    file_id: z.uuid(),
    workflow_id: z.string(),
    generation: z.int().min(1),
    retried: z.array(z.string()),
    primary_status: z.enum(PRIMARY_STATUSES),
  })
  .meta({ id: 'RetryAnswer' });

export const triggerVariantsAnswer = z
  .object({
    success: z
      .boolean()
      .meta({ description: 'Whether the variants are being rendered, by this call or an earlier one' }),
    message: z.string(),
    task_id: z.string().meta({ description: 'Workflow id' }),
    current_status: componentStatus.meta({ description: 'Of the variants' }),
    image_id: z.uuid(),
    skipped_duplicate: z
      .boolean()
      .meta({ description: 'Work on this file was already in progress, so this call started none' }),
  })
  .meta({ id: 'TriggerVariantsAnswer' });
