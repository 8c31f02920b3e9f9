import type { StepWorkflow } from '../../domain/pipelines/index.ts';
import type { DrawPageInput } from './draw-page.ts';
import type { IndexName } from './indexes.ts';

/**
 * Workflow ids carry meaning: an operator who knows a file knows its workflow. They are built and parsed only here.
 */
const FILE = 'file/';

export function fileWorkflowId(fileId: string): string {
  return `${FILE}${fileId}`;
}

/** The file id of a `processFile` workflow id, or undefined for any other id. */
export function parseFileWorkflowId(workflowId: string): string | undefined {
  return workflowId.startsWith(FILE) ? workflowId.slice(FILE.length) : undefined;
}

/** The `digitizeDocument` workflow of a file. */
export function digitizationWorkflowId(fileId: string): string {
  return `digitization/${fileId}`;
}

/** The `extractBySchema` workflow of a file. */
export function schemaExtractionWorkflowId(fileId: string): string {
  return `schema-extraction/${fileId}`;
}

/** Ids of the child workflows that are steps of a file. */
export const STEP_WORKFLOW_IDS: Readonly<Record<StepWorkflow, (fileId: string) => string>> = {
  digitizeDocument: digitizationWorkflowId,
  extractBySchema: schemaExtractionWorkflowId,
};

/** The `drawPage` workflow of a page. */
export function pageImageWorkflowId({ fileId, pageNumber, width }: DrawPageInput): string {
  return `page-image/${fileId}/${pageNumber}/${width}`;
}

/** The `syncIndex` workflow of a file. */
export function indexWorkflowId(index: IndexName, fileId: string): string {
  return `index/${index}/${fileId}`;
}

const DIRECT_UPLOAD = 'direct-upload/';

export function directUploadWorkflowId(uploadId: string): string {
  return `${DIRECT_UPLOAD}${uploadId}`;
}

/** The upload id of a `directUpload` workflow id, or undefined for any other id. */
export function parseDirectUploadWorkflowId(workflowId: string): string | undefined {
  return workflowId.startsWith(DIRECT_UPLOAD) ? workflowId.slice(DIRECT_UPLOAD.length) : undefined;
}

const IMAGE_IMPORT = 'image-import/';

/** The `importImage` workflow of the file that it creates. */
export function imageImportWorkflowId(fileId: string): string {
  return `${IMAGE_IMPORT}${fileId}`;
}

/** The file id of an `importImage` workflow id, or undefined for any other id. */
export function parseImageImportWorkflowId(workflowId: string): string | undefined {
  return workflowId.startsWith(IMAGE_IMPORT) ? workflowId.slice(IMAGE_IMPORT.length) : undefined;
}

const UPLOAD_SESSION = 'upload-session/';

export function uploadSessionWorkflowId(sessionId: string): string {
  return `${UPLOAD_SESSION}${sessionId}`;
}

/** The session id of a `uploadSession` workflow id, or undefined for any other id. */
export function parseUploadSessionWorkflowId(workflowId: string): string | undefined {
  return workflowId.startsWith(UPLOAD_SESSION) ? workflowId.slice(UPLOAD_SESSION.length) : undefined;
}

const EXTRACTION = 'extraction/';

/** The `extractData` workflow of an extraction. */
export function extractionWorkflowId(extractionId: string): string {
  return `${EXTRACTION}${extractionId}`;
}

/** The id of the extraction of an `extractData` workflow id, or undefined for any other id. */
export function parseExtractionWorkflowId(workflowId: string): string | undefined {
  return workflowId.startsWith(EXTRACTION) ? workflowId.slice(EXTRACTION.length) : undefined;
}

const ANSWER = 'answer/';

/** The `answerQuestion` workflow of an answer. */
export function answerWorkflowId(answerId: string): string {
  return `${ANSWER}${answerId}`;
}

/** The id of the answer of an `answerQuestion` workflow id, or undefined for any other id. */
export function parseAnswerWorkflowId(workflowId: string): string | undefined {
  return workflowId.startsWith(ANSWER) ? workflowId.slice(ANSWER.length) : undefined;
}

const EXPORT = 'export/';

export function exportWorkflowId(exportId: string): string {
  return `${EXPORT}${exportId}`;
}

/** The export id of an `exportData` workflow id, or undefined for any other id. */
export function parseExportWorkflowId(workflowId: string): string | undefined {
  return workflowId.startsWith(EXPORT) ? workflowId.slice(EXPORT.length) : undefined;
}

const WEBHOOK = 'webhook/';

/** The `deliverWebhook` workflow of a delivery. */
export function webhookWorkflowId(deliveryId: string): string {
  return `${WEBHOOK}${deliveryId}`;
}

/** The id of the delivery of a `deliverWebhook` workflow id, or undefined for any other id. */
export function parseWebhookWorkflowId(workflowId: string): string | undefined {
  return workflowId.startsWith(WEBHOOK) ? workflowId.slice(WEBHOOK.length) : undefined;
}

/** One email to a user. */
export function accountMailWorkflowId(mail: { kind: string; userId: string; mailId: string }): string {
  return `mail/${mail.kind}/${mail.userId}/${mail.mailId}`;
}

export const SCHEDULE_PREFIX = 'schedule/';
/** Schedule ids; the runs they start carry the same prefix. */
export const SCHEDULE_IDS = {
  dispatchPending: 'schedule/dispatch-pending',
  reconcileStale: 'schedule/reconcile-stale',
  purge: 'schedule/purge',
  maintainUsageTables: 'schedule/maintain-usage-tables',
} as const;

/** A purge started by an operator, one at a time. */
export const PURGE_NOW_ID = 'purge/now';

/** The `rebuildIndex` workflow of an index, one at a time. */
export function rebuildWorkflowId(index: IndexName): string {
  return `rebuild/${index}`;
}
