import type { z } from 'zod';
import { channelName } from '../../../domain/live-channels.ts';
import { storageTargetOf } from '../../../domain/object-keys.ts';
import { batchStatus } from '../../../domain/upload-sessions/upload-session.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { documentTypeOf } from '../../../services/documents/document-target.ts';
import type { FileOutcome } from '../../../services/uploads/batch/file-outcome.ts';
import type { UploadedBatch } from '../../../services/uploads/batch/upload-batch.ts';
import type { UploadedFile } from '../../../services/uploads/streaming/upload-single.ts';
import { sessionPath } from '../upload-session/present.ts';
import type { BatchForm, UploadForm, batchAnswer, uploadAnswer } from './schema.ts';

/**
 * "For small batches (5 files or fewer) immediate_results is populated; for larger batches poll status_url or use the
 * channel."
 */
const IMMEDIATE_RESULTS = 5;

/**
 * The document fields of an upload response; null for other media. "text_extraction_status (pending, processing,
 * completed, failed)"
 */
export function presentDocument(file: Pick<StoredFile, 'mediaType' | 'format' | 'components'>) {
  const status = file.components.text_extraction?.status;
  return {
    document_type: documentTypeOf(file) ?? null,
    text_extraction_status: status ? TEXT_STATUS[status] : null,
  };
}

/** Uploads never leave out the text by request. */
const TEXT_STATUS = {
  pending: 'pending',
  queued: 'pending',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  skipped: 'failed',
} as const;

/** The result of a single upload. */
export interface AnsweredUpload extends UploadedFile {
  form: UploadForm;
  elapsedMs: number;
}

/** The result of a batch upload. */
export interface AnsweredBatch extends UploadedBatch {
  form: BatchForm;
}

/** The response to a single upload. */
export function presentUpload({
  file,
  skipped,
  stored,
  form,
  started,
  elapsedMs,
}: AnsweredUpload): z.input<typeof uploadAnswer> {
  return {
    file_id: file.id,
    upload_method: 'STREAMING',
    status: skipped ? 'skipped' : 'processing',
    processing_time_ms: Math.round(elapsedMs),
    upload_completed: true,
    thumbnail_generation_started: started && file.components.variant !== undefined,
    analysis_started: started && form.auto_describe,
    skipped,
    existing_file_id: skipped ? file.id : null,
    storage_target: storageTargetOf(file.objectKey),
    media_type: stored.mediaType,
    ...presentDocument(file),
  };
}

/** The response to a batch upload. */
export function presentBatch({ sessionId, outcomes }: UploadedBatch): z.input<typeof batchAnswer> {
  const of = (kind: FileOutcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind);
  const rejected = of('rejected');
  const [accepted, skipped] = [of('accepted').length, of('skipped').length];
  return {
    session_id: sessionId,
    total_files: outcomes.length,
    accepted_files: accepted + skipped,
    rejected_files: rejected.length,
    status: batchStatus({ accepted, skipped, rejected: rejected.length }),
    immediate_results: outcomes.length <= IMMEDIATE_RESULTS ? outcomes.map(presentOutcome) : [],
    status_url: sessionPath(sessionId, 'status'),
    websocket_channel: channelName('batch', sessionId),
    rejections: rejected.map(({ filename, index, code, reason, retryable }) => ({
      filename,
      index,
      code: code ?? 'UPLOAD_FAILED',
      reason: reason ?? 'the file was not stored',
      retryable: retryable ?? false,
    })),
  };
}

const UPLOAD_STATUS = { accepted: 'completed', skipped: 'skipped', rejected: 'failed' } as const;

function presentOutcome({
  kind,
  filename,
  fileId,
  objectKey = '',
  elapsedMs,
  reason,
  mediaType,
  file,
}: FileOutcome): z.input<typeof batchAnswer>['immediate_results'][number] {
  return {
    file_id: fileId ?? null,
    filename,
    status: UPLOAD_STATUS[kind],
    processing_time_ms: Math.round(elapsedMs),
    skipped: kind === 'skipped',
    existing_file_id: kind === 'skipped' ? (fileId ?? null) : null,
    error: reason ?? null,
    storage_target: storageTargetOf(objectKey),
    media_type: mediaType ?? null,
    ...(file ? presentDocument(file) : { document_type: null, text_extraction_status: null }),
  };
}
