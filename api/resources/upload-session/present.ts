import type { z } from 'zod';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { failureKind, kindOfCode, type FailureKind } from '../../../domain/failure-kind.ts';
import { channelName } from '../../../domain/live-channels.ts';
import { isRetryable } from '../../../domain/retry-components.ts';
import {
  estimateCompletion,
  isOpenUploadSession,
  outcomeInOneWord,
  progressPercentage,
} from '../../../domain/upload-sessions/upload-session.ts';
import type { CountedFiles } from '../../../services/upload-sessions/count-files.ts';
import {
  failureOf,
  processingTimeMs,
  type UploadSessionEntry,
} from '../../../services/upload-sessions/read-items.ts';
import type {
  UploadSessionResults,
  UploadSessionRecord,
} from '../../../services/upload-sessions/read-upload-session.ts';
import type { UploadSessionSummary } from '../../../services/upload-sessions/summarize-upload-session.ts';
import { variantUrl } from '../file/present.ts';
import type { sessionItem, sessionRecord, sessionResult, sessionResults, sessionSummary } from './schema.ts';

export function sessionPath(sessionId: string, view: 'status' | 'results'): string {
  return `/api/v2/files/sessions/${sessionId}/${view}`;
}

/** A session as a list item. */
export function presentUploadSessionItem(
  session: UploadSession,
  counts: CountedFiles,
): z.input<typeof sessionItem> {
  return {
    session_id: session.id,
    status: session.status,
    outcome: outcomeInOneWord(session.status, counts),
    upload_method: session.uploadMethod,
    total_files: counts.total,
    completed_files: counts.completed,
    failed_files: counts.failed,
    skipped_files: counts.skipped,
    cancelled_files: counts.cancelled,
    progress_percentage: progressPercentage(counts),
    created_at: session.createdAt.toISOString(),
    completed_at: session.completedAt?.toISOString() ?? null,
  };
}

/** The session record, the same for polling and live clients. */
export function presentUploadSession({
  session,
  counts,
  recentCompletions,
  recentErrors,
}: UploadSessionRecord): z.input<typeof sessionRecord> {
  const estimate =
    isOpenUploadSession(session.status) && !session.pausedAt
      ? estimateCompletion(counts, session.startedAt, new Date())
      : undefined;
  return {
    ...presentUploadSessionItem(session, counts),
    pending_files: counts.pending,
    in_flight_files: counts.inFlight,
    paused: session.pausedAt !== null,
    started_at: session.startedAt.toISOString(),
    estimated_completion_time: estimate?.toISOString() ?? null,
    recent_completions: recentCompletions.map((entry) => ({
      filename: entry.item.filename,
      file_id: entry.item.fileId ?? null,
      status: entry.outcome === 'skipped' ? 'skipped' : 'completed',
      description: descriptionOf(shown(entry)),
      processing_time_ms: processingTimeMs(entry),
    })),
    recent_errors: recentErrors.map((entry) => ({
      filename: entry.item.filename,
      index: entry.item.index,
      error: failureOf(entry)?.message ?? 'unknown failure',
      retryable: isItemRetryable(entry),
    })),
    error_message: session.error?.message ?? null,
    results_url: sessionPath(session.id, 'results'),
    websocket_channel: channelName('batch', session.id),
  };
}

/** A page of a session's ended files. */
export async function presentResults(
  objects: Pick<ObjectStore, 'presignGet'>,
  { session, items, variants, counts, totalCount, query }: UploadSessionResults,
): Promise<z.input<typeof sessionResults>> {
  const { offset, limit } = query;
  return {
    session_id: session.id,
    results: await Promise.all(items.map((item) => presentResult(objects, item, variants))),
    total_count: totalCount,
    offset,
    limit,
    has_more: offset + items.length < totalCount,
    summary: {
      total_files: counts.total,
      completed: counts.completed,
      failed: counts.failed,
      skipped: counts.skipped,
      cancelled: counts.cancelled,
    },
  };
}

async function presentResult(
  objects: Pick<ObjectStore, 'presignGet'>,
  entry: UploadSessionEntry,
  variants: FileVariant[],
): Promise<z.input<typeof sessionResult>> {
  const { item, outcome } = entry;
  const file = shown(entry);
  const thumbnail = variants.find(({ fileId, type }) => fileId === file?.id && type === 'small_256');
  return {
    file_id: item.fileId ?? null,
    filename: item.filename,
    // Pending ones are only read where they will not begin.
    status: outcome === 'pending' ? 'failed' : outcome,
    failure_kind: failureKindOf(entry),
    description: descriptionOf(file),
    visible_text: file?.visibleText ?? null,
    tags: file?.tags ?? [],
    processing_time_ms: processingTimeMs(entry),
    error_message: failureOf(entry)?.message ?? null,
    thumbnail_url: thumbnail ? await variantUrl(objects, thumbnail) : null,
    created_at: (entry.file?.createdAt ?? item.createdAt).toISOString(),
  };
}

function failureKindOf(entry: UploadSessionEntry): FailureKind | null {
  const { item, outcome, cancelled, file } = entry;
  if (cancelled) return 'cancelled';
  if (outcome !== 'failed') return null;
  if (item.state === 'rejected') return 'rejected';
  const kind = file && failureKind(file.components);
  return kind ?? kindOfCode(failureOf(entry)?.code ?? '');
}

/** The user's description, otherwise the model's. */
function descriptionOf(file: StoredFile | undefined): string | null {
  return file?.userDescription ?? file?.uploadDescription ?? null;
}

export function presentSummary(
  session: UploadSession,
  counts: CountedFiles,
  summary: UploadSessionSummary,
): z.input<typeof sessionSummary> {
  return {
    session_id: session.id,
    overall_status: session.status,
    outcome: outcomeInOneWord(session.status, counts),
    completion_percentage: progressPercentage(counts),
    counts: summary.counts,
    description_counts: summary.descriptions,
    error_summary: summary.errors,
    created_at: session.createdAt.toISOString(),
    last_activity_at: summary.lastActivityAt.toISOString(),
  };
}

/** Stored files can be retried here; for others, the item records whether another upload may succeed. */
function isItemRetryable(entry: UploadSessionEntry): boolean {
  const { item, file } = entry;
  if (item.state !== 'stored') return item.retryable;
  return file !== undefined && !file.deletedAt && isRetryable(failureOf(entry)?.code);
}

/** The file, unless it is in the trash. */
function shown({ file }: UploadSessionEntry): StoredFile | undefined {
  return file?.deletedAt ? undefined : file;
}
