import { checkDuplicates } from '../../../services/files/check-duplicates.ts';
import { readQuota } from '../../../services/accounts/read-quota.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentQuota } from '../../resources/quota/present.ts';
import { quotaQuery } from '../../resources/quota/schema.ts';
import { legacyDuplicatesAnswer, legacyDuplicatesBody, legacyQuotaAnswer } from './schema.ts';

/** What older clients ask before an upload. */
export const legacyCheckRoutes = [
  route({
    method: 'get',
    path: '/uploads/quota-check',
    operationId: 'legacyCheckQuota',
    summary: 'Whether the credits suffice for so many images; now GET /files/quota-check',
    permission: 'VIEW',
    query: quotaQuery,
    responses: json(200, legacyQuotaAnswer),
    async handle({ em, deps: { uploadMemory }, principal, query }) {
      return presentQuota(await readQuota({ em, uploadMemory }, principal, query.file_count));
    },
  }),

  route({
    method: 'post',
    path: '/uploads/check-duplicates',
    operationId: 'legacyCheckDuplicates',
    summary: 'Which of these contents are there already; now POST /files/check-duplicates',
    permission: 'VIEW',
    body: legacyDuplicatesBody,
    responses: json(200, legacyDuplicatesAnswer),
    async handle({ em, principal, body }) {
      const { duplicates, unique } = await checkDuplicates(em, principal.tenantId, [...new Set(body.hashes)]);
      return {
        duplicates: duplicates.map(({ hash, fileId, filename }) => ({ hash, image_id: fileId, filename })),
        unique,
      };
    },
  }),
];
