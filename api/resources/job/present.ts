import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { entries, trouble } from '../../../domain/components.ts';
import { isTerminalPrimary } from '../../../domain/primary-status.ts';
import { documentTypeOf } from '../../../services/documents/document-target.ts';
import type { DocumentView } from '../../../services/documents/read-document.ts';
import type { FileObservation } from '../../../services/processing/observe-file.ts';
import { presentDocument } from '../upload/present.ts';

export function jobPath(fileId: string): string {
  return `/api/v2/job/${fileId}`;
}

/** What came of one request to analyze a document. */
export interface Analysis {
  file: StoredFile;
  skipped: boolean;
  elapsedMs: number;
  /** Once it has ended. */
  document?: DocumentView;
}

export function presentAnalysis({ file, skipped, elapsedMs, document }: Analysis) {
  const processing_time_ms = Math.round(elapsedMs);
  if (skipped) return { document_id: file.id, status: 'skipped', processing_time_ms };
  const { document_type, text_extraction_status } = presentDocument(file);
  const job = { job_id: file.id, poll_url: jobPath(file.id) };
  const common = { document_id: file.id, document_type, text_extraction_status };
  if (!document) return { ...common, status: 'processing', ...job };
  if (file.primaryStatus === 'failed') {
    return { ...common, status: 'failed', processing_time_ms, ...job, error: reasonOf(file) };
  }
  return {
    ...common,
    status: 'completed',
    filename: file.filename,
    size_bytes: file.sizeBytes,
    processing_time_ms,
    page_count: document.details?.pageCount ?? 0,
    chunk_count: document.chunkCount,
    extracted_text: document.text,
  };
}

/** The work on a file as a job. */
export function presentJob({ file, components, primaryStatus }: FileObservation, text: string | null) {
  const job = {
    job_id: file.id,
    job_type: file.mediaType,
    created_at: file.createdAt.toISOString(),
    progress: null,
  };
  if (!isTerminalPrimary(primaryStatus)) return { ...job, status: 'processing' };
  const ends = entries(components).flatMap(([, { endedAt }]) => endedAt ?? []);
  const completed_at = ends.toSorted().at(-1) ?? null;
  if (primaryStatus === 'failed')
    return { ...job, status: 'failed', completed_at, error_message: reasonOf(file) };
  return {
    ...job,
    status: 'completed',
    completed_at,
    results: [
      {
        ...(documentTypeOf(file) ? { document_id: file.id } : { image_id: file.id }),
        status: primaryStatus,
        description: file.userDescription ?? file.uploadDescription,
        visible_text: text,
        tags: file.tags,
        confidence_score: null,
      },
    ],
  };
}

function reasonOf({ components }: StoredFile): string {
  return trouble(components)?.[1].error?.message ?? 'the work was cancelled';
}
