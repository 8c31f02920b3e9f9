import type { Route } from '../route.ts';
import { fileListRoute } from './files/list-route.ts';
import { fileReadRoutes } from './files/read-routes.ts';
import { fileRetryRoute } from './files/retry-route.ts';
import { fileSimilarRoute } from './files/similar-route.ts';
import { fileUploadRoute } from './files/upload-route.ts';
import { batchUploadRoute } from './sessions/batch-route.ts';
import { sessionControlRoutes } from './sessions/control-routes.ts';
import { sessionEventsRoute } from './sessions/events-route.ts';
import { sessionListRoute } from './sessions/list-route.ts';
import { sessionReadRoutes } from './sessions/read-routes.ts';

/** Every operation of `/api/v2`. Fixed paths stand before those with parameters. */
export const ROUTES: readonly Route[] = [
  fileUploadRoute,
  batchUploadRoute,
  sessionListRoute,
  ...sessionReadRoutes,
  ...sessionControlRoutes,
  sessionEventsRoute,
  fileListRoute,
  ...fileReadRoutes,
  fileSimilarRoute,
  fileRetryRoute,
];
