import { z } from 'zod';
import { MAX_LEGACY_HASHES_CHECKED } from '../../../domain/limits.ts';
import { alias } from '../../http/alias.ts';
import { duplicatesBody } from '../../resources/file/list-schema.ts';
import { quotaAnswer } from '../../resources/quota.ts';
import { fileQuotaRoute } from '../accounts/quota-route.ts';
import { fileDuplicatesRoute } from '../files/list-routes.ts';
import type { Route } from '../../http/route.ts';
import { legacyBatchRoutes } from './batch-routes.ts';
import { legacyPresignedRoutes } from './presigned-routes.ts';
import { legacyStatusAliases, legacyUploadAliases } from './upload-aliases.ts';
import { legacyUploadSessionAliases } from './upload-session-aliases.ts';

/** Pre-upload checks of older clients. */
const legacyCheckAliases = [
  alias(fileQuotaRoute, {
    path: '/uploads/quota-check',
    operationId: 'legacyCheckQuota',
    summary: 'Whether the credits suffice for a number of images',
    answer: quotaAnswer.omit({ prepaid_credits: true, max_batch_size: true, max_concurrent_uploads: true }),
    present({
      prepaid_credits: _prepaid,
      max_batch_size: _batch,
      max_concurrent_uploads: _uploads,
      ...answer
    }) {
      return answer;
    },
  }),

  alias(fileDuplicatesRoute, {
    path: '/uploads/check-duplicates',
    operationId: 'legacyCheckDuplicates',
    summary: 'Check which hashes belong to existing files',
    body: z.strictObject({
      hashes: duplicatesBody.shape.hashes
        .max(MAX_LEGACY_HASHES_CHECKED)
        .describe('SHA-256 of each file, hexadecimal'),
    }),
    rename: { file_id: 'image_id' },
  }),
];

/** The upload endpoints of older clients: aliases of `/files`, and batches with presigned URLs. */
export const legacyRoutes: readonly Route[] = [
  ...legacyUploadAliases,
  ...legacyCheckAliases,
  ...legacyPresignedRoutes,
  ...legacyBatchRoutes,
  ...legacyUploadSessionAliases,
  ...legacyStatusAliases,
];
