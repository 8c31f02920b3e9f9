import { z } from 'zod';
import type { QuotaCheck } from '../../domain/accounts/quota.ts';
import { integerIn } from '../../domain/schemas/query.ts';
import { count } from './fields.ts';

/** Far above any real upload; keeps the arithmetic exact. */
const MAX_FILE_COUNT = 1_000_000_000;

export const quotaQuery = z.object({
  file_count: integerIn(1, MAX_FILE_COUNT).describe('Number of images to upload'),
});

export const quotaAnswer = z
  .object({
    can_proceed: z.boolean().describe('Whether the credits suffice'),
    requested: z.int().min(1).describe('Number of images asked for'),
    available: z.int().min(-1).describe('Credits left; -1 means unlimited'),
    monthly_limit: z.int().min(-1).describe('Credits of a month; -1 means unlimited'),
    current_usage: count.describe('Credits of this month, reserved or spent'),
    prepaid_credits: count.describe('Credits beyond the monthly ones'),
    max_batch_size: count.describe('Most files in one batch'),
    max_concurrent_uploads: count.describe(
      'Most concurrent uploads that fit into the upload memory of an account',
    ),
    message: z.string().nullable().describe('The shortfall; null if there is none'),
  })
  .meta({ id: 'QuotaCheck' });

/** The remaining quota of the month, and the limits of one request. */
export function presentQuota(quota: QuotaCheck): z.input<typeof quotaAnswer> {
  return {
    can_proceed: quota.canProceed,
    requested: quota.requested,
    available: quota.available,
    monthly_limit: quota.monthlyLimit,
    current_usage: quota.currentUsage,
    message: quota.message,
    prepaid_credits: quota.prepaidCredits,
    max_batch_size: quota.maxBatchSize,
    max_concurrent_uploads: quota.maxConcurrentUploads,
  };
}
