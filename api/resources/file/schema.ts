import { z } from 'zod';
import { COMPLIANCE_STATUSES } from '../../../domain/compliance/compliance.ts';
import { REQUESTED_CATEGORIES } from '../../../domain/content-categories.ts';
import { DOCUMENT_TYPES } from '../../../domain/documents/document-type.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import { VARIANTS } from '../../../domain/variants.ts';
import { extraction } from '../extraction/schema.ts';
import { extractionAnswer } from '../structured-extraction/schema.ts';
import { count, errorShapeOf, explanation, fileIdParam, statusShapeOf, timestamp, url } from '../fields.ts';

export const fileParams = z.object({
  file_id: fileIdParam,
});

export const dimensions = z.object({ width: z.int().min(1), height: z.int().min(1) }).nullable();

const part = z.number().min(0).max(1);
const textRegion = z
  .object({
    text: z.string(),
    bounding_box: z
      .object({ x_min: part, y_min: part, x_max: part, y_max: part })
      .meta({ description: '0–1 of the upright width and height' }),
  })
  .meta({ id: 'TextRegion' });

const fullDescriptions = z.array(
  z.object({
    provider: z.string(),
    model: z.string(),
    prompt_version: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    created_at: timestamp,
  }),
);

export const imageDetail = z
  .object({
    id: z.uuid(),
    media_type: z.literal('image'),
    title: z.string(),
    filename: z.string(),
    tags: z.array(z.string()),
    size_bytes: count,
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
    explanation,
    variant_count: count,
    user_description: z.string().nullable(),
    upload_description: z.string().nullable(),
    visible_text: z.string().nullable(),
    text_regions: z.array(textRegion),
    description_generated_at: timestamp.nullable(),
    full_descriptions: fullDescriptions,
    extractions: z.array(extraction),
    schema_extraction: extractionAnswer.nullable(),
    compliance_status: z.enum(COMPLIANCE_STATUSES),
    created_at: timestamp,
    updated_at: timestamp,
    content_created_at: timestamp.nullable(),
    blur_hash: z.string().nullable(),
    content_category: z.enum(REQUESTED_CATEGORIES),
    folder_id: z.uuid().nullable(),
    project_id: z.uuid().nullable(),
    formatted_document: z.string().optional().meta({ description: 'With format=markdown' }),
  })
  .meta({ id: 'ImageDetail' });

/** Of a document. */
export const documentDetail = z
  .object({
    id: z.uuid(),
    media_type: z.literal('document'),
    schema_extraction: extractionAnswer.nullable(),
    title: z.string(),
    filename: z.string(),
    tags: z.array(z.string()),
    size_bytes: count,
    content_type: z.string(),
    format: z.string(),
    document_type: z.enum(DOCUMENT_TYPES),
    document_url: z.url().nullable().meta({ description: 'Temporary URL of the original, for one hour' }),
    page_count: count.nullable(),
    chunk_count: count.nullable(),
    language: z.string().nullable().meta({ description: 'ISO 639-1; null where it cannot be told' }),
    extracted_text: z
      .string()
      .nullable()
      .meta({ description: 'Of all pages that have been read; null before' }),
    primary_status: z.enum(PRIMARY_STATUSES),
    ...statusShapeOf(['document']),
    ...errorShapeOf('document'),
    explanation,
    user_description: z.string().nullable(),
    upload_description: z.string().nullable(),
    description_generated_at: timestamp.nullable(),
    full_descriptions: fullDescriptions,
    created_at: timestamp,
    updated_at: timestamp,
    content_created_at: timestamp.nullable(),
    content_category: z.enum(REQUESTED_CATEGORIES),
    folder_id: z.uuid().nullable(),
    project_id: z.uuid().nullable(),
  })
  .meta({ id: 'DocumentDetail' });

export const fileDetail = z
  .discriminatedUnion('media_type', [imageDetail, documentDetail])
  .meta({ id: 'FileDetail' });

export const fileQuery = z.object({
  format: z.enum(['markdown']).optional().meta({ description: 'Adds formatted_document to an image' }),
});

export const variantParams = fileParams.extend({
  variant_type: z.enum(['original', ...VARIANTS.map(({ type }) => type)]),
});
