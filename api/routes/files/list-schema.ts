import { z } from 'zod';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import { FILE_SORTS } from '../../../services/list-files.ts';
import { componentStatus, dimensions, timestamp, url } from './schema.ts';

export const listQuery = z.object({
  sort_by: z.enum(FILE_SORTS).default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
});

export const fileItem = z
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
    size_bytes: z.number(),
    created_at: timestamp,
    content_created_at: timestamp.nullable(),
    has_full_description: z.boolean(),
    dimensions,
    format: z.string(),
    primary_status: z.enum(PRIMARY_STATUSES),
    variant_status: componentStatus,
    description_status: componentStatus,
    variant_count: z.number(),
    blur_hash: z.string().nullable(),
    description_error: z.string().nullable(),
    content_type: z.string(),
    media_type: z.enum(MEDIA_TYPES),
    content_category: z.enum(CONTENT_CATEGORIES),
    document_type: z.null(),
    source_url: z.null(),
  })
  .meta({ id: 'FileItem' });

export const fileList = z
  .object({
    items: z.array(fileItem),
    total_count: z.number(),
    limit: z.number(),
    offset: z.number(),
    has_more: z.boolean(),
  })
  .meta({ id: 'FileList' });
