import { z } from 'zod';
import { SEARCH_MODES } from '../../services/files/file-filter.ts';
import { SCOPES } from '../../domain/accounts/access.ts';
import { AUDIT_RESULTS, AUDIT_SEVERITIES } from '../../domain/accounts/audit-events.ts';
import { AUTH_PROVIDERS } from '../../domain/accounts/login.ts';
import { ASSIGNABLE_ROLES, ROLES } from '../../domain/accounts/permissions.ts';
import { THEMES } from '../../domain/accounts/preferences.ts';
import { TIERS } from '../../domain/accounts/tiers.ts';
import { VLM_PROVIDERS } from '../../domain/accounts/vlm-providers.ts';
import { LAYOUT_CHOICES, DOCUMENT_TYPES } from 'darkroom-reader/document';
import { COMPONENT_STATUSES } from '../../domain/components.ts';
import { CONNECTION_PROVIDERS } from '../../domain/connections.ts';
import { CONTENT_CATEGORIES, REQUESTED_CATEGORIES } from '../../domain/content-categories.ts';
import { PAGE_STATUSES } from '../../domain/documents/page.ts';
import { CHUNK_ROLES, CHUNK_TYPES } from '../../domain/documents/split-element.ts';
import { EXPORT_KINDS, EXPORT_STATUSES } from '../../domain/exports/export.ts';
import { FILE_COLUMNS } from '../../domain/exports/file-columns.ts';
import { SOURCE_TYPES } from '../../domain/exports/history.ts';
import { REVIEWS } from '../../domain/extractions/corrections.ts';
import { EXTRACTION_STATUSES, REVIEW_DOMAINS } from '../../domain/extractions/domains.ts';
import { FAILURE_KINDS } from '../../domain/failure-kind.ts';
import { IMPORT_ITEM_STATUSES, SHOWN_IMPORT_STATUSES, WHEN_GONE } from '../../domain/imports.ts';
import { MEDIA_TYPES } from '../../domain/media.ts';
import { USAGE_EVENT_TYPES, USAGE_LEVELS } from '../../domain/operations.ts';
import { PRIMARY_STATUSES } from '../../domain/primary-status.ts';
import {
  REPROCESSED_FILE_STATUSES,
  REPROCESSED_PARTS,
  REPROCESSING_STATUSES,
} from '../../domain/reprocessing.ts';
import { LEFT_OUT_REASONS, SPLIT_REASONS, SPLIT_STATUSES } from '../../domain/splits.ts';
import {
  ANALYSIS_LEVELS,
  SCHEMA_STATUSES,
  EXTRACTION_STATUSES as REQUEST_STATUSES,
} from '../../domain/structured-extraction/extraction.ts';
import { STUCK_CAUSES } from '../../domain/stuck.ts';
import {
  UPLOAD_METHODS,
  UPLOAD_SESSION_OUTCOMES,
  UPLOAD_SESSION_STATUSES,
} from '../../domain/upload-sessions/upload-session.ts';
import { UPLOAD_MODES } from '../../domain/uploads/upload-plan.ts';
import { BUCKETS } from '../../domain/usage/periods.ts';
import { VIDEO_CODECS } from '../../domain/videos/video.ts';
import { DELIVERY_STATUSES } from '../../domain/webhooks/delivery.ts';
import { EVENT_PATTERNS, WEBHOOK_SUBJECTS } from '../../domain/webhooks/events.ts';
import { EXPORT_FORMATS, formatsFor } from '../../services/exports/formats/index.ts';
import { DIRECT_UPLOAD_STATUSES } from '../../domain/uploads/direct-upload.ts';

const named = <const Values extends readonly string[]>(id: string, values: Values) =>
  z.enum(values).meta({ id });

/**
 * Sets of values used by several fields, each a named component of the OpenAPI document; the fields describe
 * their meaning.
 */
export const analysisLevel = named('AnalysisLevel', ANALYSIS_LEVELS);
export const assignableRole = named('AssignableRole', ASSIGNABLE_ROLES);
export const auditResult = named('AuditResult', AUDIT_RESULTS);
export const auditSeverity = named('AuditSeverity', AUDIT_SEVERITIES);
export const authProvider = named('AuthProvider', AUTH_PROVIDERS);
export const chunkRole = named('ChunkRole', CHUNK_ROLES);
export const chunkType = named('ChunkType', CHUNK_TYPES);
export const componentStatus = named('ComponentStatus', COMPONENT_STATUSES);
export const connectionProvider = named('ConnectionProvider', CONNECTION_PROVIDERS);
export const contentCategoryOfFile = named('ContentCategory', CONTENT_CATEGORIES);
export const requestedCategory = named('RequestedCategory', REQUESTED_CATEGORIES);
export const documentType = named('DocumentType', DOCUMENT_TYPES);
export const deliveryStatus = named('DeliveryStatus', DELIVERY_STATUSES);
export const eventPattern = named('EventPattern', EVENT_PATTERNS);
export const exportFormat = named('ExportFormat', EXPORT_FORMATS);
export const exportKind = named('ExportKind', EXPORT_KINDS);
export const exportStatus = named('ExportStatus', EXPORT_STATUSES);
export const reprocessingStatus = named('ReprocessingStatus', REPROCESSING_STATUSES);
export const splitStatus = named('SplitStatus', SPLIT_STATUSES);
export const splitReason = named('SplitReason', SPLIT_REASONS);
export const leftOutReason = named('LeftOutReason', LEFT_OUT_REASONS);
export const reprocessedPart = named('ReprocessedPart', REPROCESSED_PARTS);
export const reprocessedFileStatus = named('ReprocessedFileStatus', REPROCESSED_FILE_STATUSES);
export const extractionCompleteness = named('ExtractionCompleteness', EXTRACTION_STATUSES);
/** State of a request to a model: an extraction or an answer. */
export const requestStatus = named('RequestStatus', REQUEST_STATUSES);
export const tableColumn = named(
  'TableColumn',
  FILE_COLUMNS.map(({ key }) => key),
);
export const tableFormat = named('TableFormat', formatsFor('files'));
/** How a file of a batch ended. */
export const fileOutcome = named('FileOutcome', ['completed', 'failed', 'skipped']);
export const failureKindOfFile = named('FailureKind', FAILURE_KINDS);
export const fileStatus = named('PrimaryStatus', PRIMARY_STATUSES);
export const importStatus = named('ImportStatus', SHOWN_IMPORT_STATUSES);
export const importItemStatus = named('ImportItemStatus', IMPORT_ITEM_STATUSES);
export const whenGone = named('WhenGone', WHEN_GONE);
export const directUploadStatus = named('DirectUploadStatus', DIRECT_UPLOAD_STATUSES);
export const itemReview = named('ItemReview', REVIEWS);
export const keyScope = named('KeyScope', SCOPES);
export const medium = named('MediaType', MEDIA_TYPES);
/** What the words of a search are looked for in. */
export const searchMode = named('SearchMode', SEARCH_MODES);
/** How the hits of a search were found. */
export const rankedBy = named('RankedBy', ['meaning_and_words', 'words']);
/** Names of the extractions that users review. */
export const reviewDomain = named('ReviewDomain', REVIEW_DOMAINS);
export const memberRole = named('Role', ROLES);
export const schemaStatus = named('SchemaStatus', SCHEMA_STATUSES);
export const sessionOutcome = named('UploadSessionOutcome', UPLOAD_SESSION_OUTCOMES);
export const sessionStatus = named('UploadSessionStatus', UPLOAD_SESSION_STATUSES);
export const sourceType = named('SourceType', SOURCE_TYPES);
export const storage = named('StorageTarget', ['default', 'custom']);
export const stuckCause = named('StuckCause', STUCK_CAUSES);
export const theme = named('Theme', THEMES);
export const tier = named('Tier', TIERS);
export const videoCodec = named('VideoCodec', VIDEO_CODECS);
export const uploadMethod = named('UploadMethod', UPLOAD_METHODS);
export const uploadMode = named('UploadMode', UPLOAD_MODES);
export const usageBucket = named('UsageBucket', BUCKETS);
export const usageEventType = named('UsageEventType', USAGE_EVENT_TYPES);
export const usageLevel = named('UsageLevel', USAGE_LEVELS);
/** Accepted for older clients, without effect. */
export const verificationLevel = named('VerificationLevel', [
  'default',
  'quick',
  'standard',
  'thorough',
  'critical',
]);
export const visionProvider = named('VisionProvider', VLM_PROVIDERS);
export const layoutChoice = named('LayoutChoice', LAYOUT_CHOICES);
export const webhookSubject = named('WebhookSubject', WEBHOOK_SUBJECTS);
/** Status of the work on a page, a document or a text. */
export const workStatus = named('WorkStatus', PAGE_STATUSES);
