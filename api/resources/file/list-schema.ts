import { z } from 'zod';
import { REQUESTED_CATEGORIES } from '../../../domain/content-categories.ts';
import { DOCUMENT_TYPES } from '../../../domain/documents/document-type.ts';
import { COMPLIANCE_STATUSES } from '../../../domain/compliance/compliance.ts';
import { MAX_TAG_LENGTH, MAX_TAGS } from '../../../domain/limits.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import { flag, instantOrDay, page, repeatable } from '../../../domain/schemas/query.ts';
import { text } from '../../../domain/schemas/text.ts';
import { SEARCH_MODES } from '../../../services/files/file-match.ts';
import { FILE_SORTS } from '../../../services/files/file-order.ts';
import { count, documentCounts, folderOrRoot, statusShape, timestamp, url } from '../fields.ts';
import { dimensions } from './schema.ts';

const MAX_SEARCH_LENGTH = 1000;
/** As many as fit into a URL. */
const MAX_IDS = 200;

export const listQuery = z
  .object({
    search: text(MAX_SEARCH_LENGTH)
      .min(1, 'must have a character')
      .optional()
      .meta({ description: 'Words that must all match; quote a phrase' }),
    search_mode: z
      .enum(SEARCH_MODES)
      .default('all')
      .meta({
        description:
          '`metadata`: title, file name, tags and description; `visible_text`: the text on images and of documents, ' +
          'phrases in its first 100,000 characters; `all`: both',
      }),
    tags: repeatable(text(MAX_TAG_LENGTH).min(1), MAX_TAGS, 'Files with all of these tags'),
    media_types: repeatable(z.enum(MEDIA_TYPES), MEDIA_TYPES.length, 'Files of any of these types'),
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
    has_description: flag.optional(),
    ids: repeatable(z.guid().toLowerCase(), MAX_IDS, 'Only files with these ids'),
    compliance_status: z.enum(COMPLIANCE_STATUSES).optional(),
    date_from: instantOrDay('start').optional(),
    date_to: instantOrDay('end').optional(),
    deleted: flag.default(false).meta({ description: 'List the trash instead of live files' }),
    sort_by: z
      .enum(FILE_SORTS)
      .optional()
      .meta({ description: 'Defaults to relevance with `search`, otherwise to `created_at`' }),
    sort_order: z
      .enum(['asc', 'desc'])
      .default('desc')
      .meta({ description: 'Of `sort_by`; relevance is always best first' }),
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
    id: z.uuid(),
    title: z.string(),
    filename: z.string(),
    thumbnail_url: url,
    medium_url: url,
    full_url: url,
    upload_description: z.string().nullable(),
    user_description: z.string().nullable(),
    visible_text: z.string().nullable(),
    tags: z.array(z.string()),
    size_bytes: count,
    created_at: timestamp,
    content_created_at: timestamp.nullable(),
    has_full_description: z.boolean(),
    dimensions,
    format: z.string(),
    primary_status: z.enum(PRIMARY_STATUSES),
    ...statusShape,
    variant_count: count,
    blur_hash: z.string().nullable(),
    description_error: z.string().nullable(),
    content_type: z.string(),
    media_type: z.enum(MEDIA_TYPES),
    content_category: z.enum(REQUESTED_CATEGORIES),
    folder_id: z.uuid().nullable(),
    project_id: z.uuid().nullable(),
    document_type: z.enum(DOCUMENT_TYPES).nullable(),
    ...documentCounts,
    document_url: z
      .url()
      .nullable()
      .optional()
      .meta({ description: 'Of a document: temporary URL of the original' }),
    source_url: z.null(),
  })
  .meta({ id: 'FileItem' });

export const fileList = z
  .object({
    items: z.array(fileItem),
    total_count: count,
    limit: count,
    offset: count,
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: 'Cursor of the next page; null on the last' }),
  })
  .meta({ id: 'FileList' });
