import { z } from 'zod';
import { COMPLIANCE_IMAGE_TYPES, COMPLIANCE_TYPES } from '../../../domain/compliance/compliance.ts';
import { CONTENT_CATEGORIES, type RequestedCategory } from '../../../domain/content-categories.ts';
import { MAX_TAG_LENGTH, MAX_TAGS, MAX_TITLE_LENGTH } from '../../../domain/limits.ts';
import { DOCUMENT_TYPES } from '../../../domain/documents/document-type.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { commaSeparatedTags, text } from '../../../domain/schemas/text.ts';
import { count, duration } from '../fields.ts';
import { STANDARD_DESCRIPTION, STANDARD_KNOWN, standardProblem } from './compliance.ts';

/** For the document: tags between commas. */
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
    title: text(MAX_TITLE_LENGTH).optional(),
    tags: commaSeparatedTags.default([]).meta({
      override: { type: 'string', default: '', pattern: TAGS_PATTERN },
      description: 'Comma-separated',
    }),
    auto_describe: flag(true),
    skip_duplicates: flag(false).meta({
      description: 'Return the existing file if there is one with the same content',
    }),
    storage_target: z.enum(['default', 'custom']).default('default'),
    folder_id: z
      .guid()
      .toLowerCase()
      .optional()
      .meta({ description: 'Where the file goes; by default the root' }),
    project_id: z
      .guid()
      .toLowerCase()
      .optional()
      .meta({ description: 'Its root folder is used when there is no folder_id' }),
    content_category: z.enum(CONTENT_CATEGORIES).optional().meta({
      description: 'By default that of the project, otherwise `general`',
    }),
    custom_schema_id: z.guid().optional(),
    compliance_type: z.enum(COMPLIANCE_TYPES).optional(),
    compliance_standard: text(255).min(1).optional().meta({ description: STANDARD_DESCRIPTION }),
    compliance_image_type: z.enum(COMPLIANCE_IMAGE_TYPES).default('main'),
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
        description: 'Up to 100 MB; text fields before it are validated before it is stored',
      },
    }),
  })
  .extend(uploadForm.shape);

/** The text fields of a batch, applied to every file: those of a single upload without the title. */
export const batchForm = z
  .object(uploadForm.shape)
  .omit({ title: true })
  .refine((form) => !standardProblem(form), STANDARD_KNOWN);
export type BatchForm = z.output<typeof batchForm>;

/** What the ways to upload have in common; only analyses of images have a category beyond those of files. */
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
          'Up to 100 MB each; with text fields before the first file, processing starts immediately',
      }),
  })
  .extend(batchForm.shape);

/** Null for other media. */
const documentFields = {
  document_type: z.enum(DOCUMENT_TYPES).nullable(),
  text_extraction_status: z.enum(['pending', 'processing', 'completed', 'failed']).nullable(),
};

export const uploadAnswer = z
  .object({
    file_id: z.uuid(),
    upload_method: z.literal('STREAMING'),
    status: z.enum(['completed', 'processing', 'skipped']),
    processing_time_ms: duration,
    upload_completed: z.boolean(),
    thumbnail_generation_started: z.boolean(),
    analysis_started: z.boolean(),
    skipped: z.boolean(),
    existing_file_id: z.uuid().nullable(),
    storage_target: z.enum(['default', 'custom']),
    media_type: z.enum(MEDIA_TYPES),
    ...documentFields,
  })
  .meta({ id: 'UploadAnswer' });

const nullableText = z.string().nullable();

export const batchAnswer = z
  .object({
    session_id: z.uuid(),
    total_files: count,
    accepted_files: count.meta({ description: 'Stored, or skipped as duplicates' }),
    rejected_files: count,
    status: z.enum(['completed', 'partial', 'processing', 'rejected']),
    immediate_results: z
      .array(
        z.object({
          file_id: z.uuid().nullable(),
          filename: z.string(),
          status: z
            .enum(['completed', 'failed', 'skipped'])
            .meta({ description: 'Of the upload; analysis continues in the background' }),
          processing_time_ms: duration,
          skipped: z.boolean(),
          existing_file_id: z.uuid().nullable(),
          error: nullableText,
          storage_target: z.enum(['default', 'custom']),
          media_type: z.enum(MEDIA_TYPES).nullable(),
          ...documentFields,
        }),
      )
      .meta({ description: 'For batches of 5 files or fewer' }),
    status_url: z.string(),
    websocket_channel: z.string(),
    rejections: z.array(
      z.object({
        filename: z.string(),
        index: count,
        code: z.string().meta({ description: 'As in the response to a single upload; or TOO_MANY_FILES' }),
        reason: z.string(),
        retryable: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'BatchAnswer' });
