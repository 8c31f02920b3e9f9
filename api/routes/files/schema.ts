import { z } from 'zod';
import { COMPONENT_STATUSES } from '../../../domain/components.ts';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { MAX_TITLE_LENGTH } from '../../../domain/limits.ts';
import { MEDIA_TYPES, type MediaType } from '../../../domain/media.ts';
import {
  COMPONENT_NAMES,
  componentsOf,
  pipelineOf,
  type ErrorField,
  type StatusField,
} from '../../../domain/pipelines/index.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import { whole } from '../../../domain/schemas/query.ts';
import { commaSeparatedTags, text } from '../../../domain/schemas/text.ts';
import { VARIANTS } from '../../../domain/variants.ts';

export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' });
export const url = z
  .string()
  .nullable()
  .meta({ description: 'Presigned, valid for one hour; null until it is there' });
export const componentStatus = z.enum(COMPONENT_STATUSES).meta({ id: 'ComponentStatus' });

/**
 * A field of the contract for the status of each component.
 *
 * @param media whose files have this shape; a field that not all of them have is optional
 */
function statusShapeOf(media: readonly MediaType[]) {
  const fields = media.map((mediaType) => componentsOf(mediaType).map(({ statusField }) => statusField));
  return Object.fromEntries(
    fields.flat().map((field) => {
      const everywhere = fields.every((its) => its.includes(field));
      return [field, everywhere ? componentStatus : componentStatus.optional()];
    }),
  ) as Record<StatusField, typeof componentStatus | z.ZodOptional<typeof componentStatus>>;
}

/** Of a file of any medium. */
export const statusShape = statusShapeOf(MEDIA_TYPES.filter((mediaType) => pipelineOf(mediaType)));

/** A field of the contract for why each component failed. */
const errorShapeOf = (mediaType: MediaType) =>
  Object.fromEntries(
    componentsOf(mediaType).map(({ errorField }) => [errorField, z.string().nullable()]),
  ) as Record<ErrorField, z.ZodNullable<z.ZodString>>;

export const fileParams = z.object({
  file_id: z.string().meta({ description: 'UUID, or its first 8 characters' }),
});

/** A boolean as forms send it. */
const flag = (fallback: boolean) =>
  z
    .string()
    .transform((value, context) => {
      const { data, error } = z.stringbool().safeParse(value);
      // As an issue of its own: that of stringbool would keep the rules over several fields from being told as well.
      if (error) context.addIssue({ code: 'custom', message: error.issues[0]?.message ?? 'no boolean' });
      return data ?? fallback;
    })
    .meta({ override: { type: 'boolean' } })
    .default(fallback);

/** The fields of an upload beside its bytes. */
export const uploadForm = z
  .object({
    title: text(MAX_TITLE_LENGTH).optional(),
    tags: commaSeparatedTags
      .default([])
      .meta({ override: { type: 'string', description: 'Comma-separated' } }),
    auto_describe: flag(true),
    skip_duplicates: flag(false).meta({
      description: 'Answer with the existing file when its content is there',
    }),
    storage_target: z.enum(['default', 'custom']).default('default'),
    folder_id: z.guid().optional(),
    project_id: z.guid().optional().meta({ description: 'Used when there is no folder_id' }),
    content_category: z.enum(CONTENT_CATEGORIES).default('general'),
    custom_schema_id: z.guid().optional(),
    compliance_type: z.enum(['mls', 'marketplace']).optional(),
    compliance_standard: text(255).min(1).optional(),
    compliance_image_type: z.enum(['main', 'secondary']).default('main'),
  })
  .refine((form) => !form.compliance_type || form.compliance_standard !== undefined, {
    path: ['compliance_standard'],
    message: 'required when compliance_type is set',
    // Told together with whatever else is wrong, which a rule over several fields is not by itself.
    when: () => true,
  });
export type UploadForm = z.output<typeof uploadForm>;

/** The same as a document of the request: `file` is streamed and never seen by the schema. */
export const uploadFormDocument = z
  .object({
    file: z.string().meta({ override: { type: 'string', format: 'binary', description: 'Up to 100 MB' } }),
  })
  .extend(uploadForm.shape);

export const uploadAnswer = z
  .object({
    file_id: z.uuid(),
    upload_method: z.literal('STREAMING'),
    status: z.enum(['completed', 'processing', 'skipped']),
    processing_time_ms: z.number(),
    upload_completed: z.boolean(),
    thumbnail_generation_started: z.boolean(),
    analysis_started: z.boolean(),
    skipped: z.boolean(),
    existing_file_id: z.uuid().nullable(),
    storage_target: z.enum(['default', 'custom']),
    media_type: z.enum(MEDIA_TYPES),
  })
  .meta({ id: 'UploadAnswer' });

export const dimensions = z.object({ width: z.number(), height: z.number() }).nullable();

const part = z.number().min(0).max(1);
const textRegion = z
  .object({
    text: z.string(),
    bounding_box: z
      .object({ x_min: part, y_min: part, x_max: part, y_max: part })
      .meta({ description: '0–1 of the upright width and height' }),
  })
  .meta({ id: 'TextRegion' });

export const imageDetail = z
  .object({
    id: z.uuid(),
    media_type: z.literal('image'),
    title: z.string(),
    filename: z.string(),
    tags: z.array(z.string()),
    size_bytes: z.number(),
    content_type: z.string(),
    dimensions,
    format: z.string(),
    full_url: url,
    thumbnail_url: url,
    medium_url: url,
    original_url: url,
    primary_status: z.enum(PRIMARY_STATUSES),
    ...statusShapeOf(['image']),
    ...errorShapeOf('image'),
    variant_count: z.number(),
    user_description: z.string().nullable(),
    upload_description: z.string().nullable(),
    visible_text: z.string().nullable(),
    text_regions: z.array(textRegion),
    description_generated_at: timestamp.nullable(),
    full_descriptions: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        prompt_version: z.string(),
        description: z.string(),
        tags: z.array(z.string()),
        created_at: timestamp,
      }),
    ),
    created_at: timestamp,
    updated_at: timestamp,
    content_created_at: timestamp.nullable(),
    blur_hash: z.string().nullable(),
    content_category: z.enum(CONTENT_CATEGORIES),
    formatted_document: z.string().optional().meta({ description: 'With format=markdown' }),
  })
  .meta({ id: 'ImageDetail' });

export const fileQuery = z.object({
  format: z.enum(['markdown']).optional().meta({ description: 'Adds formatted_document' }),
});

export const variantParams = fileParams.extend({
  variant_type: z.enum(['original', ...VARIANTS.map(({ type }) => type)]),
});

export const similarQuery = z.object({
  limit: whole(1, 50).default(20),
});

export const similarAnswer = z
  .object({
    reference_image_id: z.uuid(),
    items: z.array(
      z.object({
        image_id: z.uuid(),
        title: z.string(),
        description: z.string().nullable(),
        relevance_score: z.number().meta({ description: '0–1, best first' }),
        vector_similarity: z.number().meta({ description: 'Cosine of the two vectors, −1–1' }),
        thumbnail_url: url,
        medium_url: url,
        full_url: url,
        folder_id: z.uuid().nullable(),
        created_at: timestamp,
      }),
    ),
    total_count: z.number(),
  })
  .meta({ id: 'SimilarImages' });

const failure = z.object({ code: z.string(), message: z.string() });

export const timelineAnswer = z
  .object({
    file_id: z.uuid(),
    workflow_id: z.string(),
    primary_status: z.enum(PRIMARY_STATUSES),
    components: z.record(z.string(), z.object({ status: componentStatus, error: failure.nullable() })),
    explanation: z
      .string()
      .meta({ description: 'One sentence: where the file stands and what it waits for' }),
    runs: z.array(
      z.object({
        generation: z.number(),
        run_id: z.string(),
        outcome: z.enum(['running', 'completed', 'cancelled', 'terminated', 'timed_out', 'failed']),
        started_at: timestamp,
        ended_at: timestamp.nullable(),
        reason: failure.nullable(),
        steps: z.array(
          z.object({
            step: z.string(),
            component: z.string(),
            attempt: z.number().meta({ description: 'Attempts begun' }),
            outcome: z.enum(['waiting', 'running', 'completed', 'failed', 'cancelled']),
            scheduled_at: timestamp,
            started_at: timestamp.nullable(),
            ended_at: timestamp.nullable(),
            duration_ms: z.number().nullable().meta({ description: 'Of the last attempt' }),
            error: failure.nullable(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'FileTimeline' });

export const retryBody = z.strictObject({
  components: z.array(z.enum(COMPONENT_NAMES)).min(1).optional(),
});

export const retryAnswer = z
  .object({
    file_id: z.uuid(),
    workflow_id: z.string(),
    generation: z.number(),
    retried: z.array(z.string()),
    primary_status: z.enum(PRIMARY_STATUSES),
  })
  .meta({ id: 'RetryAnswer' });
