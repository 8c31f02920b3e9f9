import type { z } from 'zod';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { ImageImport } from '../../../db/entities/uploads/image-import.ts';
import type { Components } from '../../../domain/components.ts';
import type { DocumentAnalysisEnd } from '../../../domain/documents/document-analysis.ts';
import type { DocumentView } from '../../../services/documents/read-document.ts';
import { textOf, type Streaming } from '../../http/streamed.ts';
import { jobFields } from '../job-fields.ts';
import { presentDocument } from '../upload/present.ts';
import type { analyzeAnswer, jobAnswer } from './schema.ts';

export function jobPath(fileId: string): string {
  return `/api/v2/job/${fileId}`;
}

/** The result of one request to analyze a document. */
export interface Analysis {
  file: StoredFile;
  skipped: boolean;
  elapsedMs: number;
  /** While in progress: the components of the row, with `processing` where work has started. */
  components?: Components;
  end?: DocumentAnalysisEnd;
  /** Once it has ended. */
  document?: DocumentView;
  webhook: { webhook_secret?: string };
}

export async function presentAnalysis({
  file,
  skipped,
  elapsedMs,
  components,
  end,
  document,
  webhook,
}: Analysis): Promise<Streaming<z.input<typeof analyzeAnswer>>> {
  const processing_time_ms = Math.round(elapsedMs);
  if (skipped) return { document_id: file.id, status: 'skipped', processing_time_ms, ...webhook };
  const { document_type, text_extraction_status } = presentDocument({
    ...file,
    components: components ?? file.components,
  });
  if (!document_type || !text_extraction_status) throw new Error(`file ${file.id} is not a document`);
  const job = { job_id: file.id, poll_url: jobPath(file.id) };
  const common = { document_id: file.id, document_type, text_extraction_status, ...webhook };
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

/** The analysis of an image without a file, yet or ever. */
export function presentImportJob({
  id,
  status,
  error,
  createdAt,
  updatedAt,
}: ImageImport): z.input<typeof jobAnswer> {
  const job = jobFields(id, 'image', createdAt);
  if (status !== 'failed') return { ...job, status: 'processing' };
  const error_message = error?.message ?? 'the image was not fetched';
  return { ...job, status, completed_at: updatedAt.toISOString(), error_message };
}
