import type { Route } from '../route.ts';
import { uploadCreateRoute } from './direct-uploads/create-route.ts';
import { uploadIntentRoutes } from './direct-uploads/intent-routes.ts';
import { uploadPartRoutes } from './direct-uploads/part-routes.ts';
import { fileListRoute } from './files/list-route.ts';
import { fileReadRoutes } from './files/read-routes.ts';
import { fileRetryRoute } from './files/retry-route.ts';
import { fileSimilarRoute } from './files/similar-route.ts';
import { fileUploadRoute } from './files/upload-route.ts';

/** Every operation of `/api/v2`. Fixed paths stand before those with parameters. */
export const ROUTES: readonly Route[] = [
  fileUploadRoute,
  uploadCreateRoute,
  ...uploadPartRoutes,
  ...uploadIntentRoutes,
  fileListRoute,
  ...fileReadRoutes,
  fileSimilarRoute,
  fileRetryRoute,
];
