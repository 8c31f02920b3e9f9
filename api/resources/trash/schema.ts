import { z } from 'zod';
import { MAX_BATCH_DELETE } from '../../../domain/limits.ts';
import { PRIMARY_STATUSES } from '../../../domain/primary-status.ts';
import { page } from '../../../domain/schemas/query.ts';
import { count, idParam, timestamp } from '../fields.ts';

export const deleteAnswer = z
  .object({ id: z.uuid(), deleted_at: timestamp, message: z.string() })
  .meta({ id: 'DeletedFile' });

export const restoreAnswer = z
  .object({
    id: z.uuid(),
    restored: z.boolean().meta({ description: 'False when the file was not in the trash' }),
    primary_status: z.enum(PRIMARY_STATUSES),
    resumed: z
      .array(z.string())
      .meta({ description: 'Components interrupted by the deletion and now resumed' }),
    folder_id: z
      .uuid()
      .nullable()
      .meta({ description: 'Where it is now; null in the root, also if its folder was deleted' }),
    duplicate_of: z.uuid().nullable().meta({ description: 'Another file with the same content' }),
    message: z.string(),
  })
  .meta({ id: 'RestoredFile' });

export const batchDeleteBody = z.strictObject({
  file_ids: z
    .array(z.guid().toLowerCase())
    .min(1)
    .max(MAX_BATCH_DELETE)
    .refine((ids) => new Set(ids).size === ids.length, 'each id once')
    .meta({ override: { uniqueItems: true } }),
});

const deletion = z.object({
  id: z.guid(),
  status: z.enum(['deleted', 'failed']),
  message: z.string(),
  deleted_at: timestamp.nullable(),
});

export const batchDeleteAnswer = z
  .object({
    deleted: z.array(deletion),
    skipped: z.array(deletion).meta({ description: 'Were already in the trash' }),
    failed: z.array(deletion),
    summary: z.object({
      total: count,
      deleted: count,
      skipped: count,
      failed: count,
    }),
  })
  .meta({ id: 'BatchDeletion' });

export const receiptParams = z.object({ file_id: idParam('Id of a removed file') });

export const receiptQuery = z.object(page(100, 20));

export const receiptAnswer = z
  .object({
    file_id: z.uuid(),
    filename: z.string(),
    sha256: z.string().meta({ description: 'Of the original, hexadecimal' }),
    deleted_at: timestamp,
    purged_at: timestamp,
    removed: z.object({
      rows: count.meta({ description: 'The row of the file and its dependent rows' }),
      objects: count.meta({ description: 'Original, variants, and leftovers of interrupted uploads' }),
      vectors: count.meta({ description: 'Including those removed from the index by the deletion' }),
    }),
  })
  .meta({ id: 'DeletionReceipt' });

export const receiptList = z
  .object({
    items: z.array(receiptAnswer),
    total_count: count,
    limit: count,
    offset: count,
    has_more: z.boolean(),
  })
  .meta({ id: 'DeletionReceiptList' });
