import type { Route } from '../http/route.ts';
import { fileDeletionsRoutes } from './files/deletions-routes.ts';
import { fileDeleteRoutes } from './files/delete-routes.ts';
import { fileDuplicatesRoute } from './files/duplicates-route.ts';
import { logEventRoute } from './files/log-event-route.ts';
import { fileStuckRoute } from './files/stuck-route.ts';
import { legacyRoutes } from './legacy/index.ts';
import { uploadCreateRoute } from './direct-uploads/create-route.ts';
import { uploadIntentRoutes } from './direct-uploads/intent-routes.ts';
import { uploadPartRoutes } from './direct-uploads/part-routes.ts';
import { fileListRoute } from './files/list-route.ts';
import { filePatchRoute } from './files/patch-route.ts';
import { fileQuotaRoute } from './files/quota-route.ts';
import { fileReadRoutes } from './files/read-routes.ts';
import { fileRetryRoute } from './files/retry-route.ts';
import { fileSimilarRoute } from './files/similar-route.ts';
import { fileStatusRoutes } from './files/status-routes.ts';
import { fileTriggerVariantsRoute } from './files/trigger-variants-route.ts';
import { fileUploadRoute } from './files/upload-route.ts';
import { batchUploadRoute } from './upload-sessions/batch-route.ts';
import { sessionControlRoutes } from './upload-sessions/control-routes.ts';
import { sessionEventsRoute } from './upload-sessions/events-route.ts';
import { sessionLiveRoute } from './upload-sessions/live-route.ts';
import { sessionListRoute } from './upload-sessions/list-route.ts';
import { sessionReadRoutes } from './upload-sessions/read-routes.ts';

/** Every operation of `/api/v2`. Fixed paths stand before those with parameters. */
export const ROUTES: readonly Route[] = [
  fileUploadRoute,
  uploadCreateRoute,
  ...uploadPartRoutes,
  ...uploadIntentRoutes,
  batchUploadRoute,
  fileStuckRoute,
  logEventRoute,
  sessionListRoute,
  ...sessionReadRoutes,
  ...sessionControlRoutes,
  sessionEventsRoute,
  sessionLiveRoute,
  fileListRoute,
  ...fileStatusRoutes,
  fileQuotaRoute,
  fileDuplicatesRoute,
  ...fileDeletionsRoutes,
  ...fileReadRoutes,
  filePatchRoute,
  ...fileDeleteRoutes,
  fileSimilarRoute,
  fileRetryRoute,
  fileTriggerVariantsRoute,
  ...legacyRoutes,
];
