import { z } from 'zod';
import { flag, page } from '../../../domain/schemas/query.ts';
import {
  completedAt,
  componentField,
  count,
  createdAt,
  duration,
  filename,
  idParam,
  pageFields,
  failureKind,
  pageOf,
  percentage,
  tags,
  thumbnailUrl,
  timestamp,
} from '../fields.ts';
import { sessionOutcome, sessionStatus, uploadMethod, fileOutcome } from '../enums.ts';

export const sessionParams = z.object({ session_id: idParam('Id of an upload session') });

const outcome = sessionOutcome
  .nullable()
  .describe('How the session ended, in one word: `partial` if some of its files failed; null until then');
const cancelled = count.describe(
  'Number of files that a cancellation kept from their results: failed ones whose work had begun, and pending ones',
);

const nullableText = z.string().nullable();

export const sessionItem = z
  .object({
    session_id: z.uuid().describe('Id of the upload session'),
    status: sessionStatus.describe('State of the session'),
    outcome,
    upload_method: uploadMethod.describe('How the bytes arrive'),
    total_files: count.describe('Number of files'),
    completed_files: count.describe('Number of files with results, possibly partial'),
    failed_files: count.describe('Number of files that failed'),
    skipped_files: count.describe('Number of files that already exist'),
    cancelled_files: cancelled,
    progress_percentage: percentage.describe('Share of the files that have ended, in percent'),
    created_at: createdAt,
    completed_at: completedAt,
  })
  .meta({ id: 'UploadSessionItem' });

export const sessionRecord = z
  .object({
    ...sessionItem.shape,
    pending_files: count.describe('Number of files that have not ended'),
    in_flight_files: count.describe(
      'Number of pending files whose work has begun; once cancelled, only they can still change the counts',
    ),
    paused: z.boolean().describe('Whether the session is paused'),
    started_at: timestamp.nullable().describe('When the session began'),
    estimated_completion_time: timestamp
      .nullable()
      .describe('When the session is likely to end; null if that cannot be estimated'),
    recent_completions: z
      .array(
        z
          .object({
            filename,
            file_id: z.uuid().nullable().describe('Id of the file; null if there is none'),
            status: z
              .enum(['completed', 'skipped'])
              .meta({ id: 'CompletionKind' })
              .describe('Whether the file was processed, or already exists'),
            description: nullableText.describe(
              "The user's own description, otherwise the model's; null without one",
            ),
            processing_time_ms: duration
              .nullable()
              .describe('Duration in milliseconds; null if it has not ended'),
          })
          .meta({ id: 'RecentCompletion' }),
      )
      .describe('Files that ended last, newest first'),
    recent_errors: z
      .array(
        z
          .object({
            filename,
            index: count.describe('Position of the file in its batch, from 0'),
            error: z.string().describe('Why the file failed'),
            retryable: z
              .boolean()
              .describe('Whether a retry may succeed: of the file, or of its upload if it was not stored'),
          })
          .meta({ id: 'RecentError' }),
      )
      .describe('Latest errors, newest first'),
    error_message: nullableText.describe('Why the session failed; null if it has not'),
    results_url: z.string().describe('Path of the results of the session'),
    websocket_channel: z.string().describe('Name of the live channel of the session'),
  })
  .meta({ id: 'UploadSession' });

export const retriedSession = z
  .object({ ...sessionRecord.shape, retried_files: count.describe('Number of files that run again') })
  .meta({ id: 'RetriedUploadSession' });

export const sessionListQuery = z.object({
  status: sessionStatus.optional().describe('Only sessions in this state'),
  upload_method: uploadMethod.optional().describe('Only sessions whose bytes arrive in this way'),
  ...page(100, 20),
});

const listedSession = sessionItem
  .extend({
    first_filename: nullableText.describe('Name of the first file; null before one has begun to arrive'),
    started_by: nullableText.describe('Name of the user or the API key that began it; null if not known'),
  })
  .meta({ id: 'ListedUploadSession' });

export const sessionList = z.object(pageOf(listedSession)).meta({ id: 'UploadSessionList' });

export const resultsQuery = z.object({
  include_failed: flag.default(true).describe('Whether to list files that failed'),
  ...page(500, 100),
});

export const sessionResult = z.object({
  file_id: z.uuid().nullable().describe('Id of the file; null if there is none'),
  filename,
  status: fileOutcome.describe('How the file ended'),
  failure_kind: failureKind,
  description: nullableText.describe("The user's own description, otherwise the model's; null without one"),
  visible_text: nullableText.describe('The text that is visible in the image; null until available'),
  tags,
  processing_time_ms: duration.nullable().describe('Duration in milliseconds; null if it has not ended'),
  error_message: nullableText.describe('Why the file failed; null if it has not'),
  thumbnail_url: thumbnailUrl,
  created_at: timestamp.describe('When the file was created, or refused'),
});

export const sessionResults = z
  .object({
    session_id: z.uuid().describe('Id of the upload session'),
    results: z
      .array(sessionResult)
      .describe('Ended files in upload order, once cancelled also those that never began'),
    ...pageFields,
    summary: componentField(
      z
        .object({
          total_files: count.describe('Number of files'),
          completed: count.describe('Number of files with results, possibly partial'),
          failed: count.describe('Number of files that failed'),
          skipped: count.describe('Number of files that already exist'),
          cancelled,
        })
        .meta({ id: 'UploadSessionTotals' }),
      'Numbers of all files of the session',
    ),
  })
  .meta({ id: 'UploadSessionResults' });

const places = z
  .object({
    total: count.describe('Number of files'),
    uploading: count.describe('Number of files that are being uploaded'),
    confirming: count.describe('Number of files that are being verified'),
    queued: count.describe('Number of files that wait for a worker'),
    processing: count.describe('Number of files in progress'),
    completed: count.describe('Number of completed files'),
    failed: count.describe('Number of files that failed'),
    partially_completed: count.describe('Number of files of which some components failed'),
    skipped: count.describe('Number of duplicates, and of files deleted before they ended'),
    cancelled: count.describe(
      'Number of files that a cancellation kept from their results, among the others',
    ),
    stuck: count.describe('Number of stuck files, among those queued or processing'),
  })
  .meta({ id: 'FileCounts' });

export const sessionSummary = z
  .object({
    session_id: z.uuid().describe('Id of the upload session'),
    overall_status: sessionStatus.describe('State of the session'),
    outcome,
    completion_percentage: percentage.describe('Share of the files that have ended, in percent'),
    counts: componentField(places, 'Number of files by status'),
    description_counts: componentField(
      z
        .object({
          pending: count.describe('Number of files whose description has not begun'),
          processing: count.describe('Number of files that are being described'),
          completed: count.describe('Number of files that are described'),
          failed: count.describe('Number of files whose description failed'),
          skipped: count.describe('Number of files that get no description'),
        })
        .meta({ id: 'DescriptionCounts' }),
      'Number of files by the status of their description',
    ),
    error_summary: componentField(
      z
        .object({
          count: count.describe('Number of files with an error'),
          messages: z.array(z.string()).describe('Distinct error messages'),
        })
        .meta({ id: 'ErrorSummary' }),
      'The errors of the files',
    ),
    created_at: createdAt,
    last_activity_at: timestamp.describe('When something last happened in the session'),
  })
  .meta({ id: 'UploadSessionSummary' });
