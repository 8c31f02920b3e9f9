import type { z } from 'zod';
import type { QuotaCheck } from '../../../domain/accounts/quota.ts';
import type { quotaAnswer } from './schema.ts';

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
