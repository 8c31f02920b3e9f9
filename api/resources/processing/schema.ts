import { z } from 'zod';
import { COMPONENT_NAMES } from '../../../domain/pipelines/index.ts';
import { optional } from '../../../domain/schemas/text.ts';
import { integerIn } from '../../../domain/schemas/query.ts';
import {
  completedAt,
  count,
  createdAt,
  documentCounts,
  duration,
  explanation,
  failure,
  failureKind,
  fileId,
  mediaType,
  message,
  primaryStatus,
  startedAt,
  statusShape,
  timestamp,
  updatedAt,
} from '../fields.ts';
import { pageFacts } from '../page-facts.ts';
import { componentStatus, documentType, fileStatus, stuckCause, workStatus } from '../enums.ts';

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
    file_id: fileId,
    session_id: z.uuid().nullable().describe('Id of the upload session; null if the file has none'),
    unified_status: z
      .enum(['uploading', 'confirming', 'queued', 'processing', 'completed', 'failed', 'partially_completed'])
      .meta({ id: 'UnifiedStatus' })
      .describe('State of the file, from its upload to its end'),
    failure_kind: failureKind,
    component_statuses: z
      .object({
        ...statusShape,
        upload_status: workStatus.meta({
          description: 'Status of the direct upload; `completed` once there is a file',
        }),
        processing_status: fileStatus.describe('Status of the whole file'),
      })
      .describe('Status of the upload and of each component'),
    processing_ids: z.array(z.string()).meta({ description: 'Ids of its workflows' }),
    error_message: z.string().nullable().meta({
      description: 'The latest error, final or of an attempt that will be retried; null without one',
    }),
    last_error_at: timestamp.nullable().describe('When the latest error occurred; null if there was none'),
    created_at: createdAt,
    last_updated_at: updatedAt,
    completed_at: completedAt,
    retry_count: count.meta({ description: 'Number of retries that were asked for' }),
    processing_duration_seconds: z
      .number()
      .min(0)
      .meta({ description: 'Seconds of the newest run, up to its end or now' }),
    is_stuck: z.boolean().describe('Whether it is unfinished without a sign of life'),
    is_terminal: z.boolean().describe('Whether the processing has ended'),
    cause: stuckCause.nullable().meta({ description: 'Why it is stuck; null unless it is' }),
    last_sign_of_life_at: timestamp
      .nullable()
      .meta({ description: 'When a stuck file last showed a sign of life; null unless it is stuck' }),
  })
  .meta({ id: 'UnifiedUploadStatus' });

export const stuckQuery = z.object({
  stuck_minutes: stuckMinutes,
  limit: integerIn(1, 500).default(100).describe('Maximum number of files'),
});

export const stuckAnswer = z
  .object({
    stuck_count: count.describe('Number of stuck files'),
    images: z.array(uploadStatus).describe('The stuck files'),
  })
  .meta({ id: 'StuckFiles' });

const progress = {
  status: componentStatus.describe('State of the component or step'),
  attempt: count.meta({ description: 'Number of attempts begun' }),
  started_at: startedAt,
  completed_at: completedAt,
  error_message: z.string().nullable().describe('Why it failed, or its latest error; null without one'),
};

export const processingStatus = z
  .object({
    file_id: fileId,
    media_type: mediaType,
    primary_status: primaryStatus,
    failure_kind: failureKind,
    components: z
      .record(
        z.string(),
        z.object({
          ...progress,
          steps: z
            .array(
              z.object({
                step: z.string().describe('Name of the step'),
                title: z.string().describe('What the step does'),
                ...progress,
              }),
            )
            .describe('Steps of the component, in their order'),
        }),
      )
      .describe('Components by name, such as `variant` and `description`'),
    explanation,
    document_id: z.uuid().optional().meta({ description: 'Id of a document' }),
    filename: z.string().optional().describe('File name of a document'),
    document_type: documentType.optional().describe('Type of a document'),
    text_extraction_status: componentStatus
      .optional()
      .describe('State of the extraction of the text of a document'),
    ...documentCounts,
    pages: z
      .object({
        pending: count.describe('Pages not begun'),
        processing: count.describe('Pages in progress'),
        completed: count.describe('Pages that have been read'),
        failed: count.describe('Pages that could not be read'),
      })
      .optional()
      .meta({ description: 'Number of pages of a document by status' }),
    source_url: z.url().optional().describe('URL of a link'),
    ...pageFacts.partial().shape,
    created_at: timestamp.optional().describe('When a document was created'),
    processing_started_at: timestamp
      .nullable()
      .optional()
      .describe('When the first step of a document began; null before'),
    completed_at: timestamp.nullable().optional().describe('When a document ended; null until then'),
    error_message: z
      .string()
      .nullable()
      .optional()
      .describe('Why a component of a document failed; null if none has'),
  })
  .meta({ id: 'ProcessingStatus' });

export const timelineAnswer = z
  .object({
    file_id: fileId,
    workflow_id: z.string().describe('Id of the workflow that works on the file or its upload'),
    workflow_url: z.url().nullable().meta({
      description:
        'The workflow in the Temporal UI; null without ADMIN permission, and where `TEMPORAL_UI_URL` is not configured',
    }),
    primary_status: primaryStatus,
    components: z
      .record(
        z.string(),
        z.object({
          status: componentStatus.describe('State of the component'),
          error: failure.nullable().describe('Why the component failed; null if it has not'),
        }),
      )
      .describe('Components by name, such as `variant` and `description`'),
    explanation,
    runs: z
      .array(
        z.object({
          generation: z.int().min(1).describe('Number of the run, from 1; each retry starts the next'),
          run_id: z.string().describe('Id of the run in Temporal'),
          trace_id: z
            .string()
            .nullable()
            .describe('Id of the OpenTelemetry trace of the request that started it; null without traces'),
          outcome: z
            .enum(['running', 'completed', 'cancelled', 'terminated', 'timed_out', 'failed'])
            .describe('How the run ended, or `running`'),
          started_at: timestamp.describe('When the run began'),
          ended_at: timestamp.nullable().describe('When the run ended; null until then'),
          reason: failure.nullable().describe('Why the run ended; null unless it failed or was stopped'),
          steps: z
            .array(
              z.object({
                step: z.string().describe('Name of the step'),
                component: z.string().describe('The component that the step belongs to'),
                attempt: count.meta({ description: 'Number of attempts begun' }),
                outcome: z
                  .enum(['waiting', 'running', 'completed', 'failed', 'cancelled'])
                  .describe('How the step ended, or its state until then'),
                scheduled_at: timestamp.describe('When it was scheduled'),
                started_at: timestamp.nullable().describe('When the last attempt began; null until then'),
                ended_at: timestamp.nullable().describe('When the step ended; null until then'),
                duration_ms: duration
                  .nullable()
                  .meta({ description: 'Milliseconds that the last attempt took; null until it has ended' }),
                error: failure.nullable().describe('Why the step failed; null if it has not'),
                operator_pause: z
                  .object({
                    since: timestamp.nullable().describe('When the pause began; null if unknown'),
                    identity: z.string().nullable().describe('The operator; null if unknown'),
                    reason: z
                      .string()
                      .nullable()
                      .describe('Reason that the operator gave; null if there is none'),
                  })
                  .nullable()
                  .meta({
                    description: 'The pause of the step by an operator in Temporal; null unless it is paused',
                  }),
              }),
            )
            .describe('Steps of the run, in their order'),
        }),
      )
      .describe('The newest 100 runs of the file, and older ones that its status is from, newest last'),
  })
  .meta({ id: 'FileTimeline' });

export const retryBody = z
  .strictObject({
    components: optional(z.array(z.enum(COMPONENT_NAMES)).min(1)).describe(
      'Components to run again; by default all that have failed',
    ),
    pages: optional(z.array(z.int().min(1).max(MAX_PAGE_NUMBER)).min(1).max(MAX_RETRIED_PAGES)).meta({
      description: 'Pages of a document to read again; the others keep their content',
    }),
  })
  .refine(({ components, pages }) => !components || !pages, {
    path: ['pages'],
    message: 'name either components or pages',
  })
  .meta({ override: { not: { required: ['components', 'pages'] } } });

export const retryAnswer = z
  .object({
    file_id: fileId,
    workflow_id: z.string().describe('Id of the workflow in Temporal'),
    generation: z.int().min(1).describe('Number of the run, from 1; each retry starts the next'),
    retried: z.array(z.string()).describe('Names of the components that run again'),
    primary_status: primaryStatus,
  })
  .meta({ id: 'RetryAnswer' });

export const triggerVariantsAnswer = z
  .object({
    success: z
      .boolean()
      .meta({ description: 'Whether the variants are being rendered, by this call or an earlier one' }),
    message,
    task_id: z.string().meta({ description: 'Id of the workflow' }),
    current_status: componentStatus.meta({ description: 'Status of the variants' }),
    image_id: fileId,
    skipped_duplicate: z
      .boolean()
      .meta({ description: 'Work on this file was already in progress, so this call started none' }),
  })
  .meta({ id: 'TriggerVariantsAnswer' });
