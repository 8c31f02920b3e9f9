import { z } from 'zod';
import { MAX_TAG_LENGTH, MAX_TAGS, MAX_HASHES_CHECKED } from '../../../domain/limits.ts';
import { FAILURE_KINDS } from '../../../domain/failure-kind.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import { flag, instantOrDay, page, repeatable } from '../../../domain/schemas/query.ts';
import { text } from '../../../domain/schemas/text.ts';
import { FILE_SORTS } from '../../../services/files/file-order.ts';
import {
  blurHash,
  codecOfVideo,
  durationSeconds,
  frameRate,
  resolution,
  contentCategory,
  contentCreatedAt,
  contentType,
  count,
  createdAt,
  dimensions,
  failureKind,
  documentCounts,
  filename,
  folderId,
  folderOrRoot,
  fullUrl,
  mediaType,
  mediumUrl,
  pageOf,
  primaryStatus,
  projectId,
  sizeBytes,
  sourceUrl,
  parentFileId,
  parentPages,
  statusShape,
  tags,
  thumbnailUrl,
  uploadDescription,
  userDescription,
  visibleText,
} from '../fields.ts';
import {
  searchMode,
  componentStatus,
  documentType,
  failureKindOfFile,
  fileStatus,
  medium,
} from '../enums.ts';
import { listedPageFacts } from '../page-facts.ts';
import { complianceStatus } from '../../../domain/schemas/extractions/compliance.ts';

const MAX_SEARCH_LENGTH = 1000;
/** Limited by the length of a URL. */
const MAX_IDS = 200;

export const listQuery = z
  .object({
    search: text(MAX_SEARCH_LENGTH)
      .min(1, 'must have a character')
      .optional()
      .meta({ description: 'Words that must all match; quote a phrase' }),
    search_mode: searchMode.default('all').meta({
      description:
        '`metadata`: title, file name, tags and description; `visible_text`: the text on images and of documents, ' +
        'phrases in its first 100,000 characters; `all`: both',
    }),
    tags: repeatable(text(MAX_TAG_LENGTH).min(1), MAX_TAGS, 'Files with all of these tags'),
    media_types: repeatable(medium, MEDIA_TYPES.length, 'Files of any of these types'),
    status: repeatable(fileStatus, PRIMARY_STATUSES.length, 'Files whose `primary_status` is any of these'),
    failure_kind: repeatable(
      failureKindOfFile,
      FAILURE_KINDS.length,
      'Failed files whose `failure_kind` is any of these',
    ),
    folder_id: folderOrRoot.optional().meta({
      description: 'Files directly in this folder, or in the `root`',
    }),
    include_subfolders: flag
      .default(false)
      .meta({ description: 'With `folder_id`: also files in the folders below it' }),
    project_id: z
      .guid()
      .toLowerCase()
      .optional()
      .meta({ description: 'All files of this project; used when there is no folder_id' }),
    has_description: flag.optional().describe('Only files with a description, or only those without'),
    ids: repeatable(z.guid().toLowerCase(), MAX_IDS, 'Only files with these ids'),
    parent_file_id: z
      .guid()
      .toLowerCase()
      .optional()
      .describe('Parts of this file, such as the attachments of an e-mail'),
    held: flag.optional().describe('Only files that are held themselves, or only those that are not'),
    compliance_status: complianceStatus.optional().describe('Files with this result of the compliance check'),
    date_from: instantOrDay('start')
      .optional()
      .describe(
        'Files created from then on; an ISO 8601 date, or date and time, in UTC unless it has an offset',
      ),
    date_to: instantOrDay('end')
      .optional()
      .describe(
        'Files created until then; an ISO 8601 date, or date and time, in UTC unless it has an offset',
      ),
    deleted: flag.default(false).meta({ description: 'List the trash instead of live files' }),
    sort_by: z
      .enum(FILE_SORTS)
      .optional()
      .meta({ description: 'Defaults to relevance with `search`, otherwise to `created_at`' }),
    sort_order: z
      .enum(['asc', 'desc'])
      .default('desc')
      .meta({ description: 'Order of `sort_by`; relevance is always best first' }),
    ...page(100, 20),
    cursor: z
      .string()
      .min(1)
      .max(4000)
      .optional()
      .meta({ description: '`next_cursor` of the previous page, with the same filters; replaces `offset`' }),
  })
  .refine((query) => !query.cursor || query.offset === 0, {
    path: ['offset'],
    message: 'must be left out where there is a cursor',
  });

const fileItem = z
  .object({
    id: z.uuid().describe('Id of the file'),
    title: z.string().describe('Title; the file name if none was given'),
    filename,
    thumbnail_url: thumbnailUrl,
    medium_url: mediumUrl,
    full_url: fullUrl,
    upload_description: uploadDescription,
    user_description: userDescription,
    visible_text: visibleText,
    tags,
    size_bytes: sizeBytes,
    created_at: createdAt,
    content_created_at: contentCreatedAt,
    has_full_description: z.boolean().describe('Whether a model has described it'),
    dimensions: dimensions.describe('Size in pixels, upright; null for other media and until measured'),
    format: z.string().describe('Format of the content, such as `jpeg` or `pdf`'),
    primary_status: primaryStatus,
    failure_kind: failureKind,
    ...statusShape,
    variant_count: count.describe('Number of variants that are rendered; 0 for other media'),
    blur_hash: blurHash,
    description_error: z
      .string()
      .nullable()
      .describe('Why there is no description; null if nothing has failed'),
    content_type: contentType,
    media_type: mediaType,
    content_category: contentCategory,
    folder_id: folderId,
    project_id: projectId,
    document_type: documentType.nullable().describe('Type of a document; null for other media'),
    ...documentCounts,
    document_url: z
      .url()
      .nullable()
      .optional()
      .meta({ description: 'Presigned URL of the original of a document, valid for one hour' }),
    duration_seconds: durationSeconds.optional(),
    frame_rate: frameRate.optional(),
    video_codec: codecOfVideo.optional(),
    resolution: resolution.optional(),
    analysis_status: componentStatus
      .optional()
      .meta({ description: 'Status of the analysis of a video, as `video_analysis_status`' }),
    source_url: sourceUrl,
    parent_file_id: parentFileId,
    parent_pages: parentPages,
    ...listedPageFacts.shape,
  })
  .meta({ id: 'FileItem' });

export const fileList = z
  .object({
    ...pageOf(fileItem),
    next_cursor: z.string().nullable().meta({ description: 'Cursor of the next page; null on the last' }),
  })
  .meta({ id: 'FileList' });

const sha256 = z.string().regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 in 64 hexadecimal digits');

export const duplicatesBody = z.strictObject({
  hashes: z
    .array(sha256.toLowerCase())
    .min(1)
    .max(MAX_HASHES_CHECKED)
    .describe('SHA-256 of each file, hexadecimal'),
});

export const duplicatesAnswer = z
  .object({
    duplicates: z
      .array(
        z.object({
          hash: z.string().describe('The hash, in lower case'),
          file_id: z.uuid().meta({ description: 'The oldest file with this content' }),
          filename,
        }),
      )
      .describe('Hashes that files of yours have'),
    unique: z.array(z.string()).meta({ description: 'Hashes that none of your files have, in lower case' }),
  })
  .meta({ id: 'CheckedHashes' });
