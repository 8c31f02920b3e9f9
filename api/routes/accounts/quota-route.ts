import { readQuota } from '../../../services/accounts/read-quota.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentQuota } from '../../resources/quota/present.ts';
import { quotaAnswer, quotaQuery } from '../../resources/quota/schema.ts';

/** Asked before a batch. A shortfall is an answer here, not an error. */
export const fileQuotaRoute = route({
  method: 'get',
  path: '/files/quota-check',
  operationId: 'checkQuota',
  summary: 'Whether the credits of this month suffice for so many images',
  permission: 'VIEW',
  query: quotaQuery,
  responses: json(200, quotaAnswer),
  async handle({ em, deps: { uploadMemory }, principal, query }) {
    const quota = await readQuota({ em, uploadMemory }, principal, query.file_count);
    return {
      ...presentQuota(quota),
      prepaid_credits: quota.prepaidCredits,
      max_batch_size: quota.maxBatchSize,
      max_concurrent_uploads: quota.maxConcurrentUploads,
    };
  },
});
