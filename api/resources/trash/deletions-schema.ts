import { z } from 'zod';
import { page } from '../../../domain/schemas/query.ts';
import { timestamp } from '../file/schema.ts';

const counted = z.number().int();

export const receiptParams = z.object({ file_id: z.string().meta({ description: 'UUID' }) });

export const receiptQuery = z.object(page(100, 20));

export const receiptAnswer = z
  .object({
    file_id: z.uuid(),
    filename: z.string(),
    sha256: z.string().meta({ description: 'Of the original, hexadecimal' }),
    deleted_at: timestamp,
    purged_at: timestamp,
    removed: z.object({
      rows: counted.meta({ description: 'That of the file, and those that hung on it' }),
      objects: counted.meta({ description: 'Original, variants, and what interrupted uploads had left' }),
      vectors: counted.meta({ description: 'Those that the deletion took out of the index among them' }),
    }),
  })
  .meta({ id: 'DeletionReceipt' });

export const receiptList = z
  .object({
    items: z.array(receiptAnswer),
    total_count: counted,
    limit: counted,
    offset: counted,
    has_more: z.boolean(),
  })
  .meta({ id: 'DeletionReceiptList' });
