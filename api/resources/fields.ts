import { z } from 'zod';
import { MEDIA_TYPES, type MediaType } from '../../domain/media.ts';
import type { VariantType } from '../../domain/image-analysis.ts';
import { ROOT } from '../../services/files/folders/folders.ts';
import { componentsOf, pipelineOf, type ErrorField, type StatusField } from '../../domain/pipelines/index.ts';
import {
  componentStatus,
  failureKindOfFile,
  requestedCategory,
  medium,
  fileStatus,
  storage,
  videoCodec,
} from './enums.ts';

/** Types of fields that several resources have. */
export const timestamp = z.iso.datetime();
/** A presigned URL; null if there is none. */
export const url = z.url().nullable();
export const count = z.int().min(0);
export const percentage = z.number().min(0).max(100);
/** Milliseconds. */
export const duration = z.int().min(0);

/** Fields that mean the same in several resources. */
export const fileId = z.uuid().describe('Id of the file');
export const filename = z.string().describe('Name of the file, without folders');
export const sizeBytes = count.describe('Size in bytes');
export const contentType = z.string().describe('MIME type');
export const mediaType = medium.describe('The medium, detected from the content');
export const contentCategory = requestedCategory.describe(
  'Category of the content, which determines what is extracted',
);
export const primaryStatus = fileStatus.describe(
  'Status of the whole file: poll it until it is neither `pending` nor `processing`',
);
export const failureKind = failureKindOfFile
  .nullable()
  .describe(
    'Why it has no results; null unless it failed. `cancelled`: the work was cancelled; `rejected`: over a limit, or not ' +
      'accepted; `unreadable`: the content cannot be read; `unreachable`: a page cannot be fetched; `duplicate`: another ' +
      'file has the content; `not_received`: its upload failed; `quota_exhausted`: no credits; `model_failed`: a model ' +
      'gave no usable answer; `service_failed`: a fault of the service',
  );
export const sourceUrl = z
  .url()
  .nullable()
  .describe('URL by which the file was added as a link; null for an uploaded file');
export const parentFileId = z
  .uuid()
  .nullable()
  .describe(
    'Id of the file that it was a part of, such as the e-mail that it was attached to; null for others',
  );
export const parentPages = z
  .string()
  .nullable()
  .describe('The pages of that file that it consists of, such as `3-5`; null for other parts');
export const tags = z.array(z.string()).describe('Keywords');
export const folderId = z.uuid().nullable().describe('Id of the folder; null in the root');
export const projectId = z.uuid().nullable().describe('Id of the project; null if it is in none');
export const userDescription = z
  .string()
  .nullable()
  .describe("The user's own description; null if there is none");
export const uploadDescription = z
  .string()
  .nullable()
  .describe('Description by the model; null until available');
export const visibleText = z
  .string()
  .nullable()
  .describe('The text that is visible in the image; null until available');
export const blurHash = z
  .string()
  .nullable()
  .describe('BlurHash of the image, to show while it loads; null until available');
export const contentCreatedAt = timestamp
  .nullable()
  .describe('When the content was created, from its metadata; null if unknown');
const variantUrl = (variant: VariantType) =>
  url.describe(`Presigned URL of the variant \`${variant}\`, valid for one hour; null until available`);
export const thumbnailUrl = variantUrl('small_256');
export const mediumUrl = variantUrl('medium_750');
export const fullUrl = variantUrl('large_1024');
export const pageCount = count
  .nullable()
  .describe('Number of pages of the document; null until it is inspected');
export const chunkCount = count
  .nullable()
  .describe('Number of chunks of the document; null until it is inspected');
/** Sizes of a document, beside fields of other media. */
export const documentCounts = {
  page_count: pageCount.optional(),
  chunk_count: chunkCount.optional(),
};
/** Field of videos in lists of any medium; null until the container has been read. */
export const durationSeconds = z.number().min(0).nullable().describe('Duration of a video in seconds');
export const frameRate = z
  .number()
  .min(0)
  .nullable()
  .describe('Frames per second of a video, on average if the rate varies');
export const codecOfVideo = videoCodec.nullable().describe('Codec of a video');
export const resolution = z.string().nullable().describe('Displayed size of a video, `WxH` in pixels');
export const storageTarget = storage.describe(
  'The object store: `default`, or `custom` for the bucket of the account',
);
export const provider = z.string().describe('Provider of the model');
export const model = z.string().describe('Name of the model');
export const promptVersion = z.string().describe('Version of the prompt');
export const createdAt = timestamp.describe('When it was created');
export const updatedAt = timestamp.describe('When it last changed');
export const startedAt = timestamp.nullable().describe('When it began; null until then');
export const completedAt = timestamp.nullable().describe('When it ended; null until then');
export const processingTime = duration.describe('Duration in milliseconds');
export const errorMessage = z
  .string()
  .nullable()
  .describe('Human-readable reason of the failure; null if it has not failed');
export const message = z.string().describe('Human-readable message');
export const explanation = z
  .string()
  .describe('One sentence: the status of the file and the cause of any wait');

/**
 * A field whose schema is a component of the document. Describing the component directly would create a
 * second one.
 */
export const componentField = <S extends z.ZodType>(component: S, description: string) =>
  z.nonoptional(component).describe(description);

/** An object with arbitrary fields. */
export const jsonObject = z.record(z.string(), z.unknown()).meta({ id: 'JsonObject' });

/** The reason of a failure. */
export const failure = z
  .object({
    code: z.string().describe('Machine-readable reason'),
    message: z.string().describe('Human-readable reason'),
  })
  .meta({ id: 'Failure' });

const side = z.number().min(0).max(1);
/** A place on a page. */
export const pageBox = z
  .object({
    x: side.describe('Left edge, 0–1 of the width'),
    y: side.describe('Top edge, 0–1 of the height'),
    w: side.describe('Width, 0–1 of that of the page'),
    h: side.describe('Height, 0–1 of that of the page'),
  })
  .meta({ id: 'PageBox' });

/** The position of a page in its list. */
export const pageFields = {
  total_count: count.describe('Number of entries in all pages'),
  limit: count.describe('Largest number of entries of a page'),
  offset: count.describe('Number of entries before the page'),
  has_more: z.boolean().describe('Whether there are more after this page'),
};

/** One page of a list. */
export const pageOf = <T extends z.ZodType>(item: T) => ({
  items: z.array(item).describe('This page of the list'),
  ...pageFields,
});

/** Presents one page of a list with its position. */
export const listPage = <T>(items: T[], totalCount: number, page: { limit: number; offset: number }) => ({
  items,
  total_count: totalCount,
  limit: page.limit,
  offset: page.offset,
  has_more: page.offset + items.length < totalCount,
});

/** A path parameter; a malformed id is answered like an unknown one, so it is not validated. */
export const idParam = (description: string) =>
  z.string().meta({ override: { type: 'string', format: 'uuid' }, description });
/** A path parameter with the id of a file, or its first 8 characters. */
export const fileIdParam = z.string().meta({
  override: {
    type: 'string',
    pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})?$',
  },
  description: 'UUID of a file, or its first 8 characters',
});
/** A query parameter that names a folder, or the root with the word `root`. */
export const folderOrRoot = z
  .union([z.literal(ROOT), z.guid().toLowerCase()], 'must be a UUID, or root')
  .meta({
    override: {
      type: 'string',
      pattern: '^(root|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$',
    },
  });
const STATUS_FIELDS: Readonly<Record<StatusField, string>> = {
  variant_status: 'Status of the variants',
  text_extraction_status: 'Status of the extraction of the text',
  video_analysis_status: 'Status of the analysis of the video: scenes, key frames and thumbnail',
  digitization_status: 'Status of the digitization: chunks and their embeddings',
  preview_status: 'Status of the variants of the first page',
  description_status: 'Status of the description by the model',
  extraction_status: 'Status of the extractions',
  crawl_status: 'Status of the crawl of the page of a link',
};
const ERROR_FIELDS: Readonly<Record<ErrorField, string>> = {
  variant_error: 'Why there are no variants; null if nothing has failed',
  text_extraction_error:
    'Why the text could not be extracted, or which part of it; null if nothing is missing',
  video_analysis_error: 'Why the video could not be analyzed; null if it could',
  digitization_error: 'Why the digitization failed; null if it did not',
  preview_error: 'Why there are no variants of the first page; null if nothing has failed',
  description_error: 'Why there is no description; null if nothing has failed',
  extraction_error: 'Why an extraction failed; null if none did',
  crawl_error: 'Why the page of a link could not be crawled; null if it could',
};

/**
 * The API's status field of each component.
 *
 * @param media media that share this shape; a field that some of them lack is optional
 */
export function statusShapeOf(media: readonly MediaType[]) {
  const fields = media.map((mediaType) => componentsOf(mediaType).map(({ statusField }) => statusField));
  return Object.fromEntries(
    fields.flat().map((field) => {
      const everywhere = fields.every((its) => its.includes(field));
      const status = componentStatus.describe(STATUS_FIELDS[field as StatusField]);
      return [field, everywhere ? status : status.optional()];
    }),
  ) as Record<StatusField, typeof componentStatus | z.ZodOptional<typeof componentStatus>>;
}

/** Status fields of a file of any medium. */
export const statusShape = statusShapeOf(MEDIA_TYPES.filter((mediaType) => pipelineOf(mediaType)));

/** The API's error field of each component. */
export const errorShapeOf = (mediaType: MediaType) =>
  Object.fromEntries(
    componentsOf(mediaType).map(({ errorField }) => [
      errorField,
      z
        .string()
        .nullable()
        .describe(ERROR_FIELDS[errorField as ErrorField]),
    ]),
  ) as Record<ErrorField, z.ZodNullable<z.ZodString>>;

/** Sides of an image. */
export const dimensions = z
  .object({
    width: z.int().min(1).describe('Width in pixels'),
    height: z.int().min(1).describe('Height in pixels'),
  })
  .meta({ id: 'Dimensions' })
  .nullable();

export const fullDescriptions = z.array(
  z
    .object({
      provider,
      model,
      prompt_version: promptVersion,
      description: z.string().describe('The description'),
      tags,
      created_at: createdAt,
    })
    .meta({ id: 'FullDescription' }),
);

/** A setting of a number of days in a body; null unsets it. */
export const days = (least: number, most: number) =>
  z.int().min(least).max(most, `at most ${most} days`).nullish();
