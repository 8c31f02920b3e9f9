import type { Route } from '../http/route.ts';
import { documentAnalyzeRoutes, documentSearchRoute } from './documents/document-routes.ts';
import { askRoutes } from './ask/ask-routes.ts';
import { documentReadRoutes } from './documents/read-routes.ts';
import { extractionRoutes } from './extractions/extraction-routes.ts';
import { apiKeyRoutes } from './api-keys/api-key-routes.ts';
import { auditLogRoutes, tenantSettingsRoutes } from './tenant/settings-routes.ts';
import { extractRoutes } from './structured-extraction/extract-routes.ts';
import { extractionSchemaRoutes } from './structured-extraction/schema-routes.ts';
import { connectionRoutes } from './connections/connection-routes.ts';
import { dataExportRoutes, historyRoute } from './exports/data-export-routes.ts';
import { splitRoutes } from './splits/split-routes.ts';
import { reprocessingRoutes } from './reprocessing/reprocessing-routes.ts';
import { fileExportRoutes } from './exports/file-export-routes.ts';
import { fileDeletionsRoutes, fileDeleteRoutes } from './trash/trash-routes.ts';
import { fileDuplicatesRoute, fileListRoute } from './files/list-routes.ts';
import { logEventRoute, fileUploadRoute, batchUploadRoute } from './uploads/upload-routes.ts';
import { fileStuckRoute, fileStatusRoutes } from './processing/status-routes.ts';
import { imageAnalyzeRoutes } from './images/analyze-routes.ts';
import { importRoutes } from './imports/import-routes.ts';
import { jobRoute } from './jobs/job-route.ts';
import { linkBatchRoute, linkRoute } from './links/link-routes.ts';
import { folderRoutes } from './folders/folder-routes.ts';
import { projectRoutes } from './folders/project-routes.ts';
import { resourceEventsRoutes, sessionEventsRoute } from './live/event-routes.ts';
import { liveRoute } from './live/live-route.ts';
import { legacyRoutes } from './legacy/index.ts';
import { uploadCreateRoute } from './direct-uploads/create-route.ts';
import { directUploadRoutes, uploadPartRoutes } from './direct-uploads/upload-routes.ts';
import { memberRoutes } from './tenant/member-routes.ts';
import { filePatchRoute, fileReadRoutes } from './files/read-routes.ts';
import { fileQuotaRoute } from './accounts/quota-route.ts';
import { fileRetryRoute, fileTriggerVariantsRoute } from './processing/retry-routes.ts';
import { fileSimilarRoute } from './similarity/similar-route.ts';
import { retentionRoutes } from './trash/retention-routes.ts';
import { shareRoutes } from './shares/share-routes.ts';
import { storageConfigRoutes } from './storage/storage-config-routes.ts';
import { sessionControlRoutes } from './upload-sessions/control-routes.ts';
import {
  sessionListRoute,
  uploadSessionResultsRoute,
  uploadSessionRoute,
  uploadSessionStatusRoute,
  uploadSessionSummaryRoute,
} from './upload-sessions/read-routes.ts';
import { usageAnalyticsRoutes } from './usage/analytics-routes.ts';
import { usageCreditRoutes, usageTokenRoutes } from './usage/credit-routes.ts';
import { loginRoutes } from './auth/login-routes.ts';
import { oidcRoutes } from './auth/oidc-routes.ts';
import { passwordResetRoutes } from './auth/password-reset-routes.ts';
import { registrationRoutes } from './auth/registration-routes.ts';
import { userCredentialRoutes } from './user/credential-routes.ts';
import { userProfileRoutes, userSessionRoutes } from './user/profile-routes.ts';
import { webhookDeliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookRoutes } from './webhooks/subscription-routes.ts';

/** Every operation of `/api/v2`. Fixed paths come before those with parameters. */
export const ROUTES: readonly Route[] = [
  fileUploadRoute,
  uploadCreateRoute,
  ...uploadPartRoutes,
  ...directUploadRoutes,
  batchUploadRoute,
  linkRoute,
  linkBatchRoute,
  fileStuckRoute,
  logEventRoute,
  sessionListRoute,
  uploadSessionRoute,
  uploadSessionStatusRoute,
  uploadSessionResultsRoute,
  uploadSessionSummaryRoute,
  ...sessionControlRoutes,
  sessionEventsRoute,
  ...resourceEventsRoutes,
  liveRoute,
  documentSearchRoute,
  ...askRoutes,
  ...documentAnalyzeRoutes,
  ...imageAnalyzeRoutes,
  jobRoute,
  fileListRoute,
  ...fileExportRoutes,
  ...fileStatusRoutes,
  fileQuotaRoute,
  fileDuplicatesRoute,
  ...fileDeletionsRoutes,
  ...shareRoutes,
  ...retentionRoutes,
  ...fileReadRoutes,
  filePatchRoute,
  ...extractionRoutes,
  ...fileDeleteRoutes,
  ...documentReadRoutes,
  fileSimilarRoute,
  fileRetryRoute,
  fileTriggerVariantsRoute,
  ...reprocessingRoutes,
  ...splitRoutes,
  historyRoute,
  ...dataExportRoutes,
  ...connectionRoutes,
  ...importRoutes,
  ...folderRoutes,
  ...projectRoutes,
  ...extractRoutes,
  ...extractionSchemaRoutes,
  ...apiKeyRoutes,
  ...tenantSettingsRoutes,
  ...memberRoutes,
  ...auditLogRoutes,
  ...storageConfigRoutes,
  ...webhookRoutes,
  ...webhookDeliveryRoutes,
  ...registrationRoutes,
  ...loginRoutes,
  ...passwordResetRoutes,
  ...oidcRoutes,
  ...userProfileRoutes,
  ...userCredentialRoutes,
  ...userSessionRoutes,
  ...legacyRoutes,
  ...usageAnalyticsRoutes,
  ...usageCreditRoutes,
  ...usageTokenRoutes,
];
