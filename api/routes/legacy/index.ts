import type { Route } from '../../http/route.ts';
import { legacyBatchRoutes } from './batch-routes.ts';
import { legacyCheckAliases } from './check-aliases.ts';
import { legacyPresignedRoutes } from './presigned-routes.ts';
import { legacyStatusAliases } from './status-aliases.ts';
import { legacyUploadAliases } from './upload-aliases.ts';
import { legacyUploadSessionAliases } from './upload-session-aliases.ts';

/** The upload endpoints of older clients: aliases of `/files`, and batches with presigned URLs. */
export const legacyRoutes: readonly Route[] = [
  ...legacyUploadAliases,
  ...legacyCheckAliases,
  ...legacyPresignedRoutes,
  ...legacyBatchRoutes,
  ...legacyUploadSessionAliases,
  ...legacyStatusAliases,
];
