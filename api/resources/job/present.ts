import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { ImageImport } from '../../../db/entities/uploads/image-import.ts';
import type { Components } from '../../../domain/components.ts';
import {
  endOfDocumentAnalysis,
  type DocumentAnalysisEnd,
} from '../../../domain/documents/document-analysis.ts';
import { endOfAnalysis } from '../../../domain/image-analysis.ts';
import type { DocumentView } from '../../../services/documents/read-document.ts';
import type { Described } from '../../../services/images/wait-for-analysis.ts';
import type { FileObservation } from '../../../services/processing/observe-file.ts';
import { textOf } from '../../http/streamed.ts';
import { presentDocument } from '../upload/present.ts';

export function jobPath(fileId: string): string {
  return `/api/v2/job/${fileId}`;
}

/** What came of one request to analyze a document. */
export interface Analysis {
  file: StoredFile;
  skipped: boolean;
  elapsedMs: number;
  /** While it continues: those of the row, but `processing` where work is in progress. */
  components?: Components;
  end?: DocumentAnalysisEnd;
  /** Once it has ended. */
  document?: DocumentView;
}

export async function presentAnalysis({ file, skipped, elapsedMs, components, end, document }: Analysis) {
  const processing_time_ms = Math.round(elapsedMs);
  if (skipped) return { document_id: file.id, status: 'skipped', processing_time_ms };
  const { document_type, text_extraction_status } = presentDocument({
    ...file,
    components: components ?? file.components,
  });
  const job = { job_id: file.id, poll_url: jobPath(file.id) };
  const common = { document_id: file.id, document_type, text_extraction_status };
  if (!end || !document) return { ...common, status: 'processing', ...job };
  if (end.status === 'failed') {
    return { ...common, status: 'failed', processing_time_ms, ...job, error: end.reason.message };
  }
  return {
    ...common,
    status: 'completed',
    filename: file.filename,
    size_bytes: file.sizeBytes,
    processing_time_ms,
    page_count: document.details?.pageCount ?? 0,
    chunk_count: document.chunkCount,
    extracted_text: await textOf(document.text),
  };
}

/** The work on a document as a job, which ends with its text; a description that comes later is in a later answer. */
export async function presentDocumentJob({ file, components }: FileObservation, text: AsyncIterable<string>) {
  const job = jobFields(file.id, file.mediaType, file.createdAt);
  const end = endOfDocumentAnalysis(components);
  if (!end) return { ...job, status: 'processing' };
  const completed_at = end.endedAt ?? null;
  if (end.status === 'failed')
    return { ...job, status: 'failed', completed_at, error_message: end.reason.message };
  const result = {
    document_id: file.id,
    status: end.status,
    description: file.userDescription ?? file.uploadDescription,
    visible_text: await textOf(text),
    tags: file.tags,
    confidence_score: null,
  };
  return { ...job, status: 'completed', completed_at, results: [result] };
}

/** The analysis of an image as a job. The image of a duplicate has another id. */
export function presentImageJob(
  jobId: string,
  { file, components }: FileObservation,
  { describedAt, confidence }: Described,
) {
  const job = jobFields(jobId, file.mediaType, file.createdAt);
  const end = endOfAnalysis(components, describedAt);
  if (!end) return { ...job, status: 'processing' };
  const completed_at = end.endedAt ?? null;
  if (end.status === 'failed')
    return { ...job, status: 'failed', completed_at, error_message: end.reason.message };
  const result = {
    image_id: file.id,
    status: end.status,
    description: file.userDescription ?? file.uploadDescription,
    visible_text: file.visibleText ?? null,
    tags: file.tags,
    confidence_score: confidence,
  };
  return { ...job, status: 'completed', completed_at, results: [result] };
}

/** The analysis of an image of which there is no file, yet or ever. */
export function presentImportJob({ id, status, error, createdAt, updatedAt }: ImageImport) {
  const job = jobFields(id, 'image', createdAt);
  if (status !== 'failed') return { ...job, status: 'processing' };
  const error_message = error?.message ?? 'the image was not fetched';
  return { ...job, status, completed_at: updatedAt.toISOString(), error_message };
}

function jobFields(job_id: string, job_type: string, createdAt: Date) {
  return { job_id, job_type, created_at: createdAt.toISOString(), progress: null };
}
