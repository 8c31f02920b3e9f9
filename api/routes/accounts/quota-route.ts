import { readQuota } from '../../../services/accounts/tenants/read-limits.ts';
import { route } from '../../http/route.ts';
import { presentQuota, quotaAnswer, quotaQuery } from '../../resources/quota.ts';

/** Called before a batch. A shortfall is a regular response here, not an error. */
export const fileQuotaRoute = route({
  method: 'get',
  path: '/files/quota-check',
  operationId: 'checkQuota',
  summary: "Whether this month's credits suffice for a number of images",
  tag: 'Account',
  permit: 'files.read',
  query: quotaQuery,
  answers: { 200: quotaAnswer },
  handle: ({ em, deps: { uploadMemory }, principal, query }) =>
    readQuota({ em, uploadMemory }, principal, query.file_count),
  present: presentQuota,
});
