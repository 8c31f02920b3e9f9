import { z } from 'zod';
import { MAX_ANALYZED_BYTES } from '../../../domain/limits.ts';
import { flag, integerIn } from '../../../domain/schemas/query.ts';
import { webhookAnswerFields, webhookFormFields } from '../request-webhook.ts';
import { completedAt, count, createdAt, filename, idParam, processingTime, tags } from '../fields.ts';
import { documentType, workStatus, medium } from '../enums.ts';

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
  folder_id: z.guid().optional().describe('Where the document goes; by default the root'),
  project_id: z
    .guid()
    .optional()
    .meta({ description: 'Project whose root folder is used if there is no `folder_id`' }),
  ...webhookFormFields,
});

export const analyzeFormDocument = z
  .object({
    file: z.string().meta({
      override: {
        type: 'string',
        format: 'binary',
        description:
          'PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EML, MSG, EPUB, HTML, CSV, TXT or MD, or a TIFF of several pages, up to 10 MB',
      },
    }),
  })
  .extend(analyzeForm.shape)
  .strict()
  .meta({ id: 'DocumentAnalysisForm' });

const documentId = z.uuid().describe('Id of the document, which is a file');
export const jobFields = {
  job_id: z.uuid().meta({ description: 'Id of the job, which is that of its file' }),
  poll_url: z.string().meta({ description: 'Path of the job' }),
};

export const analyzeAnswer = z
  .discriminatedUnion('status', [
    z
      .object({
        document_id: documentId,
        ...webhookAnswerFields,
        status: z.literal('completed').describe('Status of the analysis'),
        filename,
        size_bytes: count.max(MAX_ANALYZED_BYTES).describe('Size in bytes'),
        processing_time_ms: processingTime,
        document_type: documentType.describe('Type of the document'),
        text_extraction_status: workStatus.describe('State of the extraction of its text'),
        page_count: count.describe('Number of pages of the document; 0 if unknown'),
        chunk_count: count.describe('Number of chunks of the document'),
        extracted_text: z.string().describe('Text of all pages that could be read'),
      })
      .meta({ id: 'AnalyzedDocument' }),
    z
      .object({
        document_id: documentId,
        ...webhookAnswerFields,
        status: z.literal('processing').describe('Status of the analysis'),
        ...jobFields,
        document_type: documentType.describe('Type of the document'),
        text_extraction_status: workStatus.describe('State of the extraction of its text'),
      })
      .meta({ id: 'DocumentInProgress' }),
    z
      .object({
        document_id: documentId,
        ...webhookAnswerFields,
        status: z.literal('failed').describe('Status of the analysis'),
        processing_time_ms: processingTime,
        ...jobFields,
        document_type: documentType.describe('Type of the document'),
        text_extraction_status: workStatus.describe('State of the extraction of its text'),
        error: z.string().describe('Why the analysis failed'),
      })
      .meta({ id: 'FailedDocument' }),
    z
      .object({
        document_id: documentId,
        ...webhookAnswerFields,
        status: z.literal('skipped').describe('Status of the analysis'),
        processing_time_ms: processingTime,
      })
      .meta({ id: 'SkippedDocument', description: 'There is a document with the same content' }),
  ])
  .meta({ id: 'AnalyzeAnswer' });

export const startedJob = z
  .object({
    ...jobFields,
    status: z.literal('processing').describe('State of the job'),
    ...webhookAnswerFields,
  })
  .meta({ id: 'StartedJob' });

export const jobParams = z.object({ job_id: idParam('Id of a job') });

const base = {
  job_id: jobFields.job_id,
  job_type: medium.describe('Medium of the file that the job works on'),
  created_at: createdAt,
};
const result = z.object({
  document_id: documentId.optional().describe('Id of the document; absent for other media'),
  image_id: z.uuid().optional().describe('Id of the image; absent for other media'),
  video_id: z.uuid().optional().describe('Id of the video; absent for other media'),
  link_id: z.uuid().optional().describe('Id of the link; absent for other media'),
  status: z.enum(['completed', 'partially_completed']).describe('How the processing of the file ended'),
  description: z.string().nullable().meta({
    description: "The user's own description, otherwise the model's; null while a document has none",
  }),
  visible_text: z.string().nullable().meta({
    description: 'Visible text of an image or a video, or text of a document or page; null without one',
  }),
  tags,
  confidence_score: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: "The model's confidence in its description; null without one" }),
});

export const jobAnswer = z
  .discriminatedUnion('status', [
    z
      .object({
        ...base,
        status: z.literal('processing').describe('State of the job'),
        progress: z.null().describe('Always null: a job is of one file'),
      })
      .meta({ id: 'JobInProgress' }),
    z
      .object({
        ...base,
        status: z.literal('completed').describe('State of the job'),
        completed_at: completedAt,
        results: z.array(result).describe('The result: one entry'),
        progress: z.null().describe('Always null: a job is of one file'),
      })
      .meta({ id: 'CompletedJob' }),
    z
      .object({
        ...base,
        status: z.literal('failed').describe('State of the job'),
        completed_at: completedAt,
        error_message: z.string().describe('Why the job failed'),
        progress: z.null().describe('Always null: a job is of one file'),
      })
      .meta({ id: 'FailedJob' }),
  ])
  .meta({ id: 'Job' });
