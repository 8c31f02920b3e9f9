import { z } from 'zod';
import { flag, page } from '../../../domain/schemas/query.ts';
import { UPLOAD_SESSION_STATUSES, UPLOAD_METHODS } from '../../../domain/upload-sessions/upload-session.ts';
import { timestamp, url } from '../fields.ts';

export const sessionParams = z.object({ session_id: z.string().meta({ description: 'UUID' }) });

const nullableText = z.string().nullable();
const counted = z.number().int();

const sessionCounts = {
  total_files: counted,
  completed_files: counted.meta({ description: 'With results, possibly partial' }),
  failed_files: counted,
  skipped_files: counted,
};

export const sessionRecord = z
  .object({
    session_id: z.uuid(),
    status: z.enum(UPLOAD_SESSION_STATUSES),
    upload_method: z.enum(UPLOAD_METHODS),
    ...sessionCounts,
    pending_files: counted.meta({ description: 'total = completed + failed + skipped + pending' }),
    in_flight_files: counted.meta({
      description:
        'Pending files whose work has begun; once cancelled, only they can still change the counts',
    }),
    progress_percentage: z.number(),
    paused: z.boolean(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    estimated_completion_time: timestamp.nullable(),
    recent_completions: z.array(
      z.object({
        filename: z.string(),
        file_id: z.uuid().nullable(),
        status: z.enum(['completed', 'skipped']),
        description: nullableText,
        processing_time_ms: z.number().nullable(),
      }),
    ),
    recent_errors: z.array(
      z.object({ filename: z.string(), index: counted, error: z.string(), retryable: z.boolean() }),
    ),
    error_message: nullableText,
    results_url: z.string(),
    websocket_channel: z.string(),
  })
  .meta({ id: 'UploadSession' });

export const retriedSession = z
  .object({ ...sessionRecord.shape, retried_files: counted })
  .meta({ id: 'RetriedUploadSession' });

export const sessionListQuery = z.object({
  status: z.enum(UPLOAD_SESSION_STATUSES).optional(),
  upload_method: z.enum(UPLOAD_METHODS).optional(),
  ...page(100, 20),
});

export const sessionList = z
  .object({
    items: z.array(
      z.object({
        session_id: z.uuid(),
        status: z.enum(UPLOAD_SESSION_STATUSES),
        upload_method: z.enum(UPLOAD_METHODS),
        ...sessionCounts,
        progress_percentage: z.number(),
        created_at: timestamp,
        completed_at: timestamp.nullable(),
      }),
    ),
    total_count: counted,
    limit: counted,
    offset: counted,
    has_more: z.boolean(),
  })
  .meta({ id: 'UploadSessionList' });

export const resultsQuery = z.object({ include_failed: flag.default(true), ...page(500, 100) });

export const sessionResults = z
  .object({
    session_id: z.uuid(),
    results: z
      .array(
        z.object({
          file_id: z.uuid().nullable(),
          filename: z.string(),
          status: z.enum(['completed', 'failed', 'skipped']),
          description: nullableText,
          visible_text: nullableText,
          tags: z.array(z.string()),
          processing_time_ms: z.number().nullable(),
          error_message: nullableText,
          thumbnail_url: url,
          created_at: timestamp,
        }),
      )
      .meta({ description: 'Ended files, in upload order' }),
    total_count: counted,
    offset: counted,
    limit: counted,
    has_more: z.boolean(),
    summary: z.object({ total_files: counted, completed: counted, failed: counted, skipped: counted }),
  })
  .meta({ id: 'UploadSessionResults' });

const places = z.object({
  total: counted,
  uploading: counted,
  confirming: counted,
  queued: counted,
  processing: counted,
  completed: counted,
  failed: counted,
  partially_completed: counted,
  skipped: counted.meta({ description: 'Duplicates, and files deleted before they ended' }),
  stuck: counted.meta({ description: 'Among those queued or processing' }),
});

export const sessionSummary = z
  .object({
    session_id: z.uuid(),
    overall_status: z.enum(UPLOAD_SESSION_STATUSES),
    completion_percentage: z.number(),
    counts: places,
    description_counts: z.object({
      pending: counted,
      processing: counted,
      completed: counted,
      failed: counted,
      skipped: counted,
    }),
    error_summary: z.object({ count: counted, messages: z.array(z.string()) }),
    created_at: timestamp,
    last_activity_at: timestamp,
  })
  .meta({ id: 'UploadSessionSummary' });
