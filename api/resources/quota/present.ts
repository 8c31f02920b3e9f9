import type { QuotaCheck } from '../../../domain/accounts/quota.ts';

/** What is left of the month, and how much may be sent at once. */
export function presentQuota(quota: QuotaCheck) {
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
