import { z } from 'zod';
import { MAX_ANALYZED_BYTES } from '../../../domain/limits.ts';
import { flag, integerIn } from '../../../domain/schemas/query.ts';
import { documentType } from '../document/schema.ts';
import { count, duration, filename, idParam, timestamp } from '../fields.ts';

/** Seconds that a client may wait for an analysis. */
export const LEAST_TIMEOUT = 5;
export const MOST_TIMEOUT = 120;
const USUAL_TIMEOUT = 60;

/** A form field: how long to wait for an analysis. */
export const timeoutField = (usual: number) =>
  integerIn(LEAST_TIMEOUT, MOST_TIMEOUT)
    .default(usual)
    .meta({
      override: { type: 'integer', minimum: LEAST_TIMEOUT, maximum: MOST_TIMEOUT, default: usual },
      description: 'Seconds to wait for the result',
    });

/** The text fields of an analysis; all other attributes of an upload keep their defaults. */
export const analyzeForm = z.object({
  timeout: timeoutField(USUAL_TIMEOUT),
  skip_duplicates: flag.default(false).meta({
    override: { type: 'boolean', default: false },
    description: 'Return the existing document if there is one with the same content',
  }),
  folder_id: z.guid().optional(),
  project_id: z.guid().optional().meta({ description: 'Used when there is no folder_id' }),
});

export const analyzeFormDocument = z
  .object({
    file: z.string().meta({
      override: { type: 'string', format: 'binary', description: 'PDF, DOCX, TXT or MD, up to 10 MB' },
    }),
  })
  .extend(analyzeForm.shape);

const textStatus = z.enum(['pending', 'processing', 'completed', 'failed']);
const documentId = z.uuid();
export const jobFields = {
  job_id: z.uuid().meta({ description: 'Id of the job, which is that of its file' }),
  poll_url: z.string().meta({ description: 'Path of the job' }),
};

export const analyzeAnswer = z
  .discriminatedUnion('status', [
    z
      .object({
        document_id: documentId,
        status: z.literal('completed'),
        filename,
        size_bytes: count.max(MAX_ANALYZED_BYTES),
        processing_time_ms: duration,
        document_type: documentType,
        text_extraction_status: textStatus,
        page_count: count,
        chunk_count: count,
        extracted_text: z.string(),
      })
      .meta({ id: 'AnalyzedDocument' }),
    z
      .object({
        document_id: documentId,
        status: z.literal('processing'),
        ...jobFields,
        document_type: documentType,
        text_extraction_status: textStatus,
      })
      .meta({ id: 'DocumentInProgress' }),
    z
      .object({
        document_id: documentId,
        status: z.literal('failed'),
        processing_time_ms: duration,
        ...jobFields,
        document_type: documentType,
        text_extraction_status: textStatus,
        error: z.string(),
      })
      .meta({ id: 'FailedDocument' }),
    z
      .object({ document_id: documentId, status: z.literal('skipped'), processing_time_ms: duration })
      .meta({ id: 'SkippedDocument', description: 'There is a document with the same content' }),
  ])
  .meta({ id: 'AnalyzeAnswer' });

export const startedJob = z
  .object({ ...jobFields, status: z.literal('processing') })
  .meta({ id: 'StartedJob' });

export const jobParams = z.object({ job_id: idParam('Id of a job') });

const base = { job_id: jobFields.job_id, job_type: z.enum(['image', 'document']), created_at: timestamp };
const result = z.object({
  document_id: documentId.optional(),
  image_id: z.uuid().optional(),
  status: z.enum(['completed', 'partially_completed']),
  description: z.string().nullable().meta({ description: 'Null while a document has none yet' }),
  visible_text: z.string().nullable().meta({ description: 'Of a document, its text' }),
  tags: z.array(z.string()),
  confidence_score: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'As the model rates its description; null when it does not' }),
});

export const jobAnswer = z
  .discriminatedUnion('status', [
    z.object({ ...base, status: z.literal('processing'), progress: z.null() }).meta({ id: 'JobInProgress' }),
    z
      .object({
        ...base,
        status: z.literal('completed'),
        completed_at: timestamp.nullable(),
        results: z.array(result),
        progress: z.null(),
      })
      .meta({ id: 'CompletedJob' }),
    z
      .object({
        ...base,
        status: z.literal('failed'),
        completed_at: timestamp.nullable(),
        error_message: z.string(),
        progress: z.null(),
      })
      .meta({ id: 'FailedJob' }),
  ])
  .meta({ id: 'Job' });
