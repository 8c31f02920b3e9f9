import { z } from 'zod';
import { type RequestedCategory } from '../../../domain/content-categories.ts';
import { MAX_TAG_LENGTH, MAX_TAGS, MAX_TITLE_LENGTH } from '../../../domain/limits.ts';
import { commaSeparatedTags, text } from '../../../domain/schemas/text.ts';
import { webhookAnswerFields, webhookFormFields } from '../request-webhook.ts';
import { count, fileId, filename, mediaType, processingTime, storageTarget } from '../fields.ts';
import { STANDARD_DESCRIPTION, STANDARD_KNOWN, standardProblem } from './compliance.ts';
import { contentCategoryOfFile, documentType, medium, storage, workStatus, fileOutcome } from '../enums.ts';
import { complianceType, complianceImageType } from '../../../domain/schemas/extractions/compliance.ts';

/** Pattern of comma-separated tags, for the document. */
const TAGS_PATTERN = `^[^,]{0,${MAX_TAG_LENGTH}}(,[^,]{0,${MAX_TAG_LENGTH}}){0,${MAX_TAGS - 1}}$`;

/** A boolean form field. */
const flag = (fallback: boolean) =>
  z
    .string()
    .transform((value, context) => {
      const { data, error } = z.stringbool().safeParse(value);
      // As a custom issue: that of stringbool would suppress the rules over several fields.
      if (error) context.addIssue({ code: 'custom', message: error.issues[0]?.message ?? 'no boolean' });
      return data ?? fallback;
    })
    .meta({ override: { type: 'boolean', default: fallback } })
    .default(fallback);

/** The text fields of an upload. */
export const uploadForm = z
  .object({
    title: text(MAX_TITLE_LENGTH).optional().describe('Title; by default the file name'),
    tags: commaSeparatedTags.default([]).meta({
      override: { type: 'string', default: '', pattern: TAGS_PATTERN },
      description: 'Keywords, comma-separated',
    }),
    auto_describe: flag(true).describe('Whether a model describes the file'),
    skip_duplicates: flag(false).meta({
      description: 'Return the existing file if there is one with the same content',
    }),
    storage_target: storage
      .default('default')
      .describe(
        'The object store: `default`, or `custom` for the bucket of your own; before the first file of a form',
      ),
    folder_id: z
      .guid()
      .toLowerCase()
      .optional()
      .meta({ description: 'Folder of the file; by default the root' }),
    project_id: z
      .guid()
      .toLowerCase()
      .optional()
      .meta({ description: 'Project whose root folder is used if there is no `folder_id`' }),
    content_category: contentCategoryOfFile.optional().meta({
      description: 'Category of the content; by default that of the project, otherwise `general`',
    }),
    custom_schema_id: z.guid().optional().describe('Id of a saved schema, by which the file is extracted'),
    compliance_type: complianceType.optional().describe('Kind of the compliance check; by default none'),
    compliance_standard: text(255).min(1).optional().meta({ description: STANDARD_DESCRIPTION }),
    compliance_image_type: complianceImageType.default('main').describe('Place of the image in its listing'),
    ...webhookFormFields,
  })
  .refine((form) => !standardProblem(form), STANDARD_KNOWN);
export type UploadForm = z.output<typeof uploadForm>;

/** The documented request: `file` is streamed and never validated by the schema. */
export const uploadFormDocument = z
  .object({
    file: z.string().meta({
      override: {
        type: 'string',
        format: 'binary',
        description: 'The file, up to 100 MB; text fields before it are validated before it is stored',
      },
    }),
  })
  .extend(uploadForm.shape)
  .strict();

/** The text fields of a batch, applied to every file: those of a single upload without the title. */
export const batchForm = z
  .object(uploadForm.shape)
  .omit({ title: true })
  .refine((form) => !standardProblem(form), STANDARD_KNOWN);
export type BatchForm = z.output<typeof batchForm>;

/** Fields common to all ways to upload; only analyses of images have a category beyond those of files. */
export type AnyUploadForm = Omit<BatchForm, 'content_category'> & {
  title?: string | undefined;
  content_category?: RequestedCategory | undefined;
};

/** The documented request of a batch. */
export const batchFormDocument = z
  .object({
    files: z
      .array(z.string().meta({ override: { type: 'string', format: 'binary' } }))
      .min(1)
      .meta({
        description:
          'The files, up to 100 MB each; with text fields before the first file, processing starts immediately',
      }),
  })
  .extend(batchForm.shape)
  .strict();

/** Null for other media. */
const documentFields = {
  document_type: documentType.nullable().describe('Type of a document; null for other media'),
  text_extraction_status: workStatus
    .nullable()
    .describe('State of the extraction of the text of a document; null for other media'),
};

export const uploadAnswer = z
  .object({
    file_id: fileId,
    upload_method: z.literal('STREAMING').describe('How the bytes arrived'),
    status: z
      .enum(['completed', 'processing', 'skipped'])
      .meta({ id: 'UploadOutcome' })
      .describe('State of the file, or `skipped` for a duplicate'),
    processing_time_ms: processingTime,
    upload_completed: z.boolean().describe('Whether the bytes are stored'),
    thumbnail_generation_started: z
      .boolean()
      .describe('Whether the variants of an image are in progress or queued'),
    analysis_started: z.boolean().describe('Whether the description is in progress or queued'),
    skipped: z.boolean().describe('Whether it already exists and was not stored again'),
    existing_file_id: z.uuid().nullable().describe('The file with the same content; null if it is new'),
    storage_target: storageTarget,
    media_type: mediaType,
    ...documentFields,
    ...webhookAnswerFields,
  })
  .meta({ id: 'UploadAnswer' });

const nullableText = z.string().nullable();

export const batchAnswer = z
  .object({
    session_id: z.uuid().describe('Id of the upload session'),
    total_files: count.describe('Number of files of the batch'),
    accepted_files: count.meta({ description: 'Number of files that were stored, or skipped as duplicates' }),
    rejected_files: count.describe('Number of files that were not stored'),
    status: z
      .enum(['completed', 'partial', 'processing', 'rejected'])
      .meta({ id: 'BatchStatus' })
      .describe('State of the batch'),
    immediate_results: z
      .array(
        z.object({
          file_id: z.uuid().nullable().describe('Id of the file; null if it was not stored'),
          filename,
          status: fileOutcome.meta({
            description: 'State of the upload; analysis continues in the background',
          }),
          processing_time_ms: processingTime,
          skipped: z.boolean().describe('Whether it already exists and was not stored again'),
          existing_file_id: z.uuid().nullable().describe('The file with the same content; null if it is new'),
          error: nullableText.describe('Why the file was not stored; null if it was'),
          storage_target: storageTarget,
          media_type: medium
            .nullable()
            .describe('The medium, detected from the content; null if it was not stored'),
          ...documentFields,
        }),
      )
      .meta({ description: 'How each upload ended, for batches of 5 files or fewer; otherwise empty' }),
    status_url: z.string().describe('Path of the status of the session'),
    websocket_channel: z.string().describe('Name of the live channel of the session'),
    rejections: z
      .array(
        z
          .object({
            filename,
            index: count.describe('Position of the file in the request, from 0'),
            code: z.string().meta({
              description: 'The reason, for programs: a code of a single upload, or `TOO_MANY_FILES`',
            }),
            reason: z.string().describe('Why the file was not stored'),
            retryable: z.boolean().describe('Whether uploading the file again may succeed'),
          })
          .meta({ id: 'Rejection' }),
      )
      .describe('Files that were not stored, with the reasons; empty if all were'),
    ...webhookAnswerFields,
  })
  .meta({ id: 'BatchAnswer' });
