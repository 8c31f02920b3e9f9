import type { StepWorkflow } from '../../domain/pipelines/index.ts';
import type { DrawPageInput } from './draw-page.ts';
import type { IndexName } from './indexes.ts';

/**
 * Workflow ids carry meaning: an operator who knows a file knows its workflow. They are built and parsed only here.
 */
export interface WorkflowIds {
  /** The id of the workflow of a row. */
  of: (id: string) => string;
  /** The id of the row, or undefined for a workflow of another kind. */
  parse: (workflowId: string) => string | undefined;
}

function prefixed(prefix: string): WorkflowIds {
  return {
    of: (id) => `${prefix}${id}`,
    parse: (workflowId) => (workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : undefined),
  };
}

/** `processFile` */
export const FILE_WORKFLOWS = prefixed('file/');
export const fileWorkflowId = FILE_WORKFLOWS.of;
/** `uploadSession` */
export const UPLOAD_SESSION_WORKFLOWS = prefixed('upload-session/');
export const uploadSessionWorkflowId = UPLOAD_SESSION_WORKFLOWS.of;
/** `directUpload` */
export const DIRECT_UPLOAD_WORKFLOWS = prefixed('direct-upload/');
export const directUploadWorkflowId = DIRECT_UPLOAD_WORKFLOWS.of;
/** `importImage`, by the file that it creates */
export const IMAGE_IMPORT_WORKFLOWS = prefixed('image-import/');
export const imageImportWorkflowId = IMAGE_IMPORT_WORKFLOWS.of;
/** `extractData` */
export const EXTRACTION_WORKFLOWS = prefixed('extraction/');
export const extractionWorkflowId = EXTRACTION_WORKFLOWS.of;
/** `answerQuestion` */
export const ANSWER_WORKFLOWS = prefixed('answer/');
export const answerWorkflowId = ANSWER_WORKFLOWS.of;
/** `exportData` */
export const EXPORT_WORKFLOWS = prefixed('export/');
export const exportWorkflowId = EXPORT_WORKFLOWS.of;
/** `reprocessFiles` */
export const REPROCESSING_WORKFLOWS = prefixed('reprocessing/');
/** `rollBackReprocessing` */
export const REPROCESSING_ROLLBACKS = prefixed('reprocessing-rollback/');
/** `deliverWebhook` */
export const WEBHOOK_WORKFLOWS = prefixed('webhook/');
export const webhookWorkflowId = WEBHOOK_WORKFLOWS.of;

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
