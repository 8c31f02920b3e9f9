import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import type { FileOutcome } from '../../../services/uploads/batch/batch-outcomes.ts';
import type { CountedFiles } from '../../../services/upload-sessions/count-files.ts';
import type { UploadSessionRecord } from '../../../services/upload-sessions/read-upload-session.ts';
import type { UploadSessionSummary } from '../../../services/upload-sessions/summarize-upload-session.ts';
import type { UploadStatus } from '../../../services/processing/read-unified-status.ts';
import type { fileDetail } from '../../../services/processing/read-file-detail.ts';
import { presentUploadStatus } from '../../resources/processing/present.ts';
import type { AnsweredUpload } from '../../multipart/store-upload.ts';
import {
  presentBatch,
  presentUploadSession,
  presentSummary,
  type presentResults,
} from '../../resources/upload-session/present.ts';

/** The answers of the legacy endpoints: what the others say, under the names that older clients know. */

export function legacySessionPath(sessionId: string, view: 'status' | 'results'): string {
  return `/api/v2/uploads/sessions/${sessionId}/${view}`;
}

export function presentLegacyUpload({ file, skipped, stored, form, started, elapsedMs }: AnsweredUpload) {
  return {
    image_id: file.id,
    object_key: file.objectKey,
    upload_method: 'STREAMING',
    status: skipped ? 'skipped' : 'processing',
    processing_time_ms: Math.round(elapsedMs),
    store_upload_completed: true,
    variants_queued: started,
    description_queued: started && form.auto_describe,
    skipped,
    skipped_existing_image_id: skipped ? file.id : null,
    storage_target: form.storage_target,
    media_type: stored.mediaType,
    document_type: null,
    text_extraction_status: null,
  };
}

export function presentLegacyBatch(sessionId: string, outcomes: FileOutcome[]) {
  const answer = presentBatch(sessionId, outcomes);
  return {
    ...answer,
    intent: 'describe',
    immediate_results: answer.immediate_results.map(({ file_id, existing_file_id, ...entry }, index) => ({
      ...entry,
      image_id: file_id,
      object_key: outcomes[index]?.objectKey ?? null,
      // Stored, and now at work.
      status: entry.status === 'completed' ? 'processing' : entry.status,
      skipped_existing_image_id: existing_file_id,
    })),
    rejections:
      answer.rejections?.map(({ filename, index, reason, retryable }) => ({
        filename,
        index,
        reason,
        retryable,
      })) ?? null,
    status_url: legacySessionPath(sessionId, 'status'),
  };
}

export function presentLegacyDetail(
  { id, ...detail }: Awaited<ReturnType<typeof fileDetail>>,
  file: StoredFile,
) {
  return { ...detail, image_id: id, object_key: file.objectKey, batch_id: file.sessionId ?? null };
}

export function presentLegacyStatus(status: UploadStatus) {
  const { file_id, session_id, processing_ids, component_statuses, ...rest } = presentUploadStatus(status);
  const { upload_status, processing_status, ...components } = component_statuses;
  return {
    ...rest,
    image_id: file_id,
    tenant_id: status.file.tenantId,
    batch_id: session_id,
    component_statuses: {
      ...components,
      upload_intent_status: upload_status,
      task_intent_status: processing_status,
    },
    task_intent_ids: processing_ids,
  };
}

export function presentLegacySession(record: UploadSessionRecord) {
  const { recent_completions, ...session } = presentUploadSession(record);
  return {
    ...session,
    recent_completions: recent_completions.map(({ file_id, ...entry }) => ({ ...entry, image_id: file_id })),
    results_url: legacySessionPath(session.session_id, 'results'),
  };
}

export function presentLegacyResults(
  { results, ...page }: Awaited<ReturnType<typeof presentResults>>,
  files: readonly (StoredFile | undefined)[],
) {
  return {
    ...page,
    results: results.map(({ file_id, ...entry }, index) => ({
      ...entry,
      image_id: file_id,
      object_key: files[index]?.objectKey ?? null,
    })),
  };
}

export function presentLegacyBatchStatus(
  session: UploadSession,
  counts: CountedFiles,
  summary: UploadSessionSummary,
) {
  const { session_id, ...rest } = presentSummary(session, counts, summary);
  return { ...rest, batch_id: session_id, tenant_id: session.tenantId };
}
