import { z } from 'zod';
import { integerIn } from '../../../domain/schemas/query.ts';
import { count } from '../fields.ts';

/** Far above any real upload; keeps the arithmetic exact. */
const MAX_FILE_COUNT = 1_000_000_000;

export const quotaQuery = z.object({
  file_count: integerIn(1, MAX_FILE_COUNT),
});

export const quotaAnswer = z
  .object({
    can_proceed: z.boolean(),
    requested: z.int().min(1),
    available: z.int().min(-1).meta({ description: 'Credits left; -1 means unlimited' }),
    monthly_limit: z.int().min(-1).meta({ description: '-1 means unlimited' }),
    current_usage: count.meta({ description: 'Credits of this month, reserved or spent' }),
    prepaid_credits: count,
    max_batch_size: count,
    max_concurrent_uploads: count.meta({
      description: 'Concurrent streams that fit into the upload memory of one account',
    }),
    message: z.string().nullable().meta({ description: 'The shortfall, when there is one' }),
  })
  .meta({ id: 'QuotaCheck' });
