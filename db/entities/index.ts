import { AccountToken } from './accounts/account-token.ts';
import { AuditEvent } from './accounts/audit-event.ts';
import { ApiKey } from './accounts/api-key.ts';
import { ClaimedObject } from './uploads/claimed-object.ts';
import { Connection } from './connections/connection.ts';
import { ConnectionFlow } from './connections/connection-flow.ts';
import { CreditBalance } from './accounts/credit-balance.ts';
import { CreditEntry } from './accounts/credit-entry.ts';
import { DataExport } from './exports/export.ts';
import { CreditHour } from './accounts/credit-hour.ts';
import { DeletionReceipt } from './trash/deletion-receipt.ts';
import { DocumentChunk } from './documents/document-chunk.ts';
import { DocumentDetails } from './documents/document-details.ts';
import { CategoryExtraction } from './extractions/category-extraction.ts';
import { DocumentPage } from './documents/document-page.ts';
import { FileImport } from './imports/import.ts';
import { ImportItem } from './imports/import-item.ts';
import { ExportPart } from './exports/export-part.ts';
import { ExternalIdentity } from './accounts/external-identity.ts';
import { DocumentAnswer } from './ask/document-answer.ts';
import { SchemaExtraction } from './structured-extraction/schema-extraction.ts';
import { ExtractionPart } from './structured-extraction/extraction-part.ts';
import { ExtractionSchema } from './structured-extraction/extraction-schema.ts';
import { ExtractionSchemaVersion } from './structured-extraction/extraction-schema-version.ts';
import { FileDescription } from './files/file-description.ts';
import { FileShare } from './shares/file-share.ts';
import { FileRemoval } from './trash/file-removal.ts';
import { FileTally } from './files/file-tally.ts';
import { FileTimeline } from './processing/file-timeline.ts';
import { PageImage } from './documents/page-image.ts';
import { FileVariant } from './files/file-variant.ts';
import { Folder } from './folders/folder.ts';
import { IdempotencyKey } from './shared/idempotency-key.ts';
import { ImageDetails } from './files/image-details.ts';
import { ImageImport } from './uploads/image-import.ts';
import { Invitation } from './accounts/invitation.ts';
import { LateUsageHour } from './usage/late-usage-hour.ts';
import { LinkDetails } from './links/link-details.ts';
import { LiveFollower } from './shared/live-follower.ts';
import { LoginSession } from './accounts/login-session.ts';
import { Membership } from './accounts/membership.ts';
import { RateLimitCounter } from './accounts/rate-limit-counter.ts';
import { ReprocessedFile } from './reprocessing/reprocessed-file.ts';
import { DocumentSplit } from './splits/document-split.ts';
import { Reprocessing } from './reprocessing/reprocessing.ts';
import { Project } from './folders/project.ts';
import { OidcFlow } from './accounts/oidc-flow.ts';
import { ReconcilerCursor } from './recovery/reconciler-cursor.ts';
import { StorageConfig } from './accounts/storage-config.ts';
import { StoredFile } from './files/stored-file.ts';
import { Tenant } from './accounts/tenant.ts';
import { DirectUpload } from './uploads/direct-upload.ts';
import { UploadPart } from './uploads/upload-part.ts';
import { UploadSession } from './upload-sessions/upload-session.ts';
import { UploadSessionItem } from './upload-sessions/upload-session-item.ts';
import { UsageEvent } from './usage/usage-event.ts';
import { UsageRollup } from './usage/usage-rollup.ts';
import { UsageRollupState } from './usage/usage-rollup-state.ts';
import { UsageThreshold } from './accounts/usage-threshold.ts';
import { User } from './accounts/user.ts';
import { FailingHost } from './webhooks/failing-host.ts';
import { VideoDetails } from './videos/video-details.ts';
import { VideoFrame } from './videos/video-frame.ts';
import { StoredCollection } from './shared/stored-collection.ts';
import { WebhookAttempt } from './webhooks/webhook-attempt.ts';
import { WebhookDelivery } from './webhooks/webhook-delivery.ts';
import { WebhookEvent } from './webhooks/webhook-event.ts';
import { WebhookSubscription } from './webhooks/webhook-subscription.ts';

/** Every entity of the service, listed explicitly rather than discovered from the file system. */
export const ENTITIES = [
  Tenant,
  User,
  Membership,
  Invitation,
  ApiKey,
  LoginSession,
  AccountToken,
  ExternalIdentity,
  OidcFlow,
  Connection,
  ConnectionFlow,
  AuditEvent,
  RateLimitCounter,
  Project,
  Folder,
  StorageConfig,
  StoredFile,
  FileVariant,
  PageImage,
  ImageDetails,
  DocumentDetails,
  DocumentPage,
  DocumentChunk,
  StoredCollection,
  LinkDetails,
  VideoDetails,
  VideoFrame,
  ExtractionSchema,
  ExtractionSchemaVersion,
  SchemaExtraction,
  ExtractionPart,
  DocumentAnswer,
  FileDescription,
  CategoryExtraction,
  FileTally,
  FileTimeline,
  CreditEntry,
  CreditBalance,
  CreditHour,
  UsageThreshold,
  UsageEvent,
  UsageRollup,
  UsageRollupState,
  LateUsageHour,
  ReconcilerCursor,
  ClaimedObject,
  DirectUpload,
  ImageImport,
  UploadPart,
  IdempotencyKey,
  LiveFollower,
  UploadSession,
  UploadSessionItem,
  FileRemoval,
  FileShare,
  DeletionReceipt,
  DataExport,
  ExportPart,
  FileImport,
  ImportItem,
  Reprocessing,
  ReprocessedFile,
  DocumentSplit,
  WebhookSubscription,
  WebhookEvent,
  WebhookDelivery,
  WebhookAttempt,
  FailingHost,
];
