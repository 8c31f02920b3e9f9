import type { Route } from '../../http/route.ts';
import { legacyBatchRoutes } from './batch-routes.ts';
import { legacyCheckRoutes } from './check-routes.ts';
import { legacyPresignedRoutes } from './presigned-routes.ts';
import { legacySessionRoutes } from './session-routes.ts';
import { legacyStatusRoutes } from './status-routes.ts';
import { legacyStreamRoutes } from './stream-routes.ts';

/** The upload endpoints of older clients: each is another name for what `/files` does. */
export const legacyRoutes: readonly Route[] = [
  ...legacyStreamRoutes,
  ...legacyCheckRoutes,
  ...legacyPresignedRoutes,
  ...legacyBatchRoutes,
  ...legacySessionRoutes,
  ...legacyStatusRoutes,
];
