import type { QuotaCheck } from '../../../domain/accounts/quota.ts';

/** What every client is told of its credits; newer ones get the limits of batches beside it. */
export function presentQuota(quota: QuotaCheck) {
  return {
    can_proceed: quota.canProceed,
    requested: quota.requested,
    available: quota.available,
    monthly_limit: quota.monthlyLimit,
    current_usage: quota.currentUsage,
    message: quota.message,
  };
}
