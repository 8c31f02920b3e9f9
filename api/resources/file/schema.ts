import { z } from 'zod';
import { VARIANTS } from '../../../domain/image-analysis.ts';
import { boundingBox } from '../../../domain/schemas/extractions/parts.ts';
import { extraction } from '../extraction.ts';
import { extractionAnswer } from '../structured-extraction.ts';
import {
  blurHash,
  chunkCount,
  componentField,
  contentCategory,
  contentCreatedAt,
  contentType,
  count,
  createdAt,
  dimensions,
  errorShapeOf,
  explanation,
  failureKind,
  fileIdParam,
  filename,
  folderId,
  fullDescriptions,
  fullUrl,
  mediumUrl,
  pageCount,
  primaryStatus,
  projectId,
  sizeBytes,
  sourceUrl,
  parentFileId,
  parentPages,
  statusShapeOf,
  tags,
  thumbnailUrl,
  timestamp,
  updatedAt,
  uploadDescription,
  url,
  userDescription,
  visibleText,
} from '../fields.ts';
import { MAX_TITLE_LENGTH, MAX_USER_DESCRIPTION_LENGTH } from '../../../domain/limits.ts';
import { tagList, text } from '../../../domain/schemas/text.ts';
import { documentType } from '../enums.ts';
import { pageFacts } from '../page-facts.ts';
import { videoDetail } from './video-schema.ts';
import { complianceStatus } from '../../../domain/schemas/extractions/compliance.ts';

export const fileParams = z.object({
  file_id: fileIdParam,
});

const textRegion = z
  .object({
    text: z.string().describe('Text of the region'),
    bounding_box: componentField(boundingBox, '0–1 of the upright width and height'),
  })
  .meta({ id: 'TextRegion' });

const detectedObject = z
  .object({
    label: z.string().describe('What it is, in English, such as `cup`'),
    confidence: z.number().min(0).max(1).describe('Score of the model that found it'),
    bounding_box: componentField(boundingBox, '0–1 of the upright width and height'),
  })
  .meta({ id: 'DetectedObject' });

export const imageDetail = z
  .object({
    id: z.uuid().describe('Id of the file'),
    media_type: z.literal('image').describe('The medium, detected from the content'),
    title: z.string().describe('Title; the file name if none was given'),
    filename,
    tags,
    size_bytes: sizeBytes,
    content_type: contentType,
    source_url: sourceUrl,
    parent_file_id: parentFileId,
    parent_pages: parentPages,
    dimensions: dimensions.describe('Size in pixels, upright; null until measured'),
    format: z.string().describe('Format of the image, such as `jpeg`'),
    full_url: fullUrl,
    thumbnail_url: thumbnailUrl,
    medium_url: mediumUrl,
    original_url: url.describe(
      'Presigned URL of the original, valid for one hour; null while it is being uploaded',
    ),
    primary_status: primaryStatus,
    failure_kind: failureKind,
    ...statusShapeOf(['image']),
    ...errorShapeOf('image'),
    explanation,
    variant_count: count.describe('Number of variants that are rendered'),
    user_description: userDescription,
    upload_description: uploadDescription,
    visible_text: visibleText,
    text_regions: z.array(textRegion).describe('The visible text with its place in the image'),
    detected_objects: z
      .array(detectedObject)
      .describe(
        'Objects that the built-in models found, surest first; empty for descriptions by other models',
      ),
    description_generated_at: timestamp.nullable().describe('When the description was made; null until then'),
    full_descriptions: fullDescriptions.describe(
      'The newest 100 descriptions, each with its model, oldest first',
    ),
    extractions: z
      .array(extraction)
      .describe('Extractions by domain; empty if the category has none and there is no text'),
    schema_extraction: extractionAnswer
      .nullable()
      .describe('The extraction by the saved schema named in the upload; null without one'),
    compliance_status: complianceStatus.describe('Result of the compliance check'),
    created_at: createdAt,
    updated_at: updatedAt,
    content_created_at: contentCreatedAt,
    blur_hash: blurHash,
    content_category: contentCategory,
    folder_id: folderId,
    project_id: projectId,
    formatted_document: z
      .string()
      .optional()
      .meta({ description: 'The image as a Markdown document, with `format=markdown`' }),
  })
  .meta({ id: 'ImageDetail' });

export const documentDetail = z
  .object({
    id: z.uuid().describe('Id of the file'),
    media_type: z.literal('document').describe('The medium, detected from the content'),
    schema_extraction: extractionAnswer
      .nullable()
      .describe('The extraction by the saved schema named in the upload; null without one'),
    title: z.string().describe('Title; the file name if none was given'),
    filename,
    tags,
    size_bytes: sizeBytes,
    content_type: contentType,
    source_url: sourceUrl,
    parent_file_id: parentFileId,
    parent_pages: parentPages,
    format: z.string().describe('Format of the document, such as `pdf`'),
    document_type: documentType.describe('Type of the document'),
    document_url: z.url().nullable().meta({
      description: 'Presigned URL of the original, valid for one hour; null while it is being uploaded',
    }),
    full_url: fullUrl,
    thumbnail_url: thumbnailUrl,
    medium_url: mediumUrl,
    blur_hash: blurHash,
    variant_count: count.describe('Number of variants of the first page that are rendered'),
    page_count: pageCount,
    chunk_count: chunkCount,
    language: z.string().nullable().meta({ description: 'Language, ISO 639-1; null if unknown' }),
    extracted_text: z
      .string()
      .nullable()
      .meta({ description: 'Text of all pages that have been read; null until then' }),
    primary_status: primaryStatus,
    failure_kind: failureKind,
    ...statusShapeOf(['document']),
    ...errorShapeOf('document'),
    explanation,
    user_description: userDescription,
    upload_description: uploadDescription,
    description_generated_at: timestamp.nullable().describe('When the description was made; null until then'),
    full_descriptions: fullDescriptions.describe(
      'The newest 100 descriptions, each with its model, oldest first',
    ),
    created_at: createdAt,
    updated_at: updatedAt,
    content_created_at: contentCreatedAt,
    content_category: contentCategory,
    folder_id: folderId,
    project_id: projectId,
  })
  .meta({ id: 'DocumentDetail' });

export const linkDetail = z
  .object({
    id: z.uuid().describe('Id of the file'),
    media_type: z.literal('link').describe('The medium, detected from the content'),
    title: z.string().describe('Title; by default that of the page, or the file name until it was crawled'),
    filename,
    tags,
    size_bytes: sizeBytes,
    content_type: contentType,
    format: z.string().describe('Always `url`: the original of a link is its URL'),
    source_url: z.url().describe('The URL of the link'),
    parent_file_id: parentFileId,
    parent_pages: parentPages,
    existing_file_id: z
      .uuid()
      .nullable()
      .describe(
        'With `skip_duplicates`: the existing file with the same page, found by the crawl; null otherwise',
      ),
    ...pageFacts.shape,
    text: z.string().nullable().meta({ description: 'Readable text of the page; null until it was crawled' }),
    reading_note: z.string().nullable().meta({
      description:
        'What to know of the text, such as that the page has none without JavaScript; usually null',
    }),
    screenshot_url: z
      .url()
      .nullable()
      .describe(
        'Temporary URL of a screenshot of the page, a JPEG of 1280 × 800 pixels; null if the service has no ' +
          'browser, or until the screenshot was taken',
      ),
    chunk_count: chunkCount,
    full_url: fullUrl,
    thumbnail_url: thumbnailUrl,
    medium_url: mediumUrl,
    dimensions: dimensions.describe('Size of the best image of the page, in pixels; null without one'),
    blur_hash: blurHash,
    variant_count: count.describe('Number of variants of the best image of the page'),
    primary_status: primaryStatus,
    failure_kind: failureKind,
    ...statusShapeOf(['link']),
    ...errorShapeOf('link'),
    explanation,
    user_description: userDescription,
    upload_description: uploadDescription,
    description_generated_at: timestamp.nullable().describe('When the description was made; null until then'),
    full_descriptions: fullDescriptions.describe(
      'The newest 100 descriptions, each with its model, oldest first',
    ),
    schema_extraction: extractionAnswer
      .nullable()
      .describe('The extraction by the saved schema named in the upload; null without one'),
    created_at: createdAt,
    updated_at: updatedAt,
    content_created_at: contentCreatedAt,
    content_category: contentCategory,
    folder_id: folderId,
    project_id: projectId,
  })
  .meta({ id: 'LinkDetail' });

export const fileDetail = z
  .discriminatedUnion('media_type', [imageDetail, documentDetail, videoDetail, linkDetail])
  .meta({ id: 'FileDetail' });

export const fileQuery = z.object({
  format: z.literal('markdown').optional().meta({ description: 'Adds formatted_document to an image' }),
});

export const variantParams = fileParams.extend({
  variant_type: z
    .enum(['original', ...VARIANTS.map(({ type }) => type)])
    .describe('Name of the variant, or `original`'),
});

/** Every field at its maximum length, each character escaped as six. */
export const PATCH_BYTES = 128 * 1024;

export const patchBody = z
  .strictObject({
    title: text(MAX_TITLE_LENGTH).nullish().meta({ description: 'Title; null or empty: the file name' }),
    tags: tagList.nullish().meta({
      description: 'Replaces all tags; duplicate and empty ones are dropped; null removes all',
    }),
    user_description: text(MAX_USER_DESCRIPTION_LENGTH)
      .nullish()
      .meta({ description: 'Description; null or empty: the one by the model' }),
    folder_id: z.guid().toLowerCase().nullish().meta({ description: 'Moves the file; null: to the root' }),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'send at least one of title, tags, user_description, folder_id',
  })
  .meta({ override: { minProperties: 1 } });

export const patchAnswer = z
  .object({
    id: z.uuid().describe('Id of the file'),
    title: z.string().describe('Title; the file name if none was given'),
    tags,
    user_description: userDescription,
    upload_description: uploadDescription,
    folder_id: folderId,
    updated_at: updatedAt,
  })
  .meta({ id: 'FileChange' });
