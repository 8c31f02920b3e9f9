import type { SearchAttributePair } from '@temporalio/common';
import type { AccountMailToSend } from './account-mail.ts';
import type { AnswerQuestionInput } from './answer-question.ts';
import type { UploadSessionInput } from './upload-session.ts';
import type { DeliverWebhookInput } from './deliver-webhook.ts';
import type { DirectUploadInput } from './direct-upload.ts';
import type { DrawPageInput } from './draw-page.ts';
import type { ExportDataInput } from './export-data.ts';
import type { ExtractDataInput } from './extract-data.ts';
import {
  accountMailWorkflowId,
  answerWorkflowId,
  directUploadWorkflowId,
  exportWorkflowId,
  extractionWorkflowId,
  fileWorkflowId,
  imageImportWorkflowId,
  indexWorkflowId,
  pageImageWorkflowId,
  PURGE_NOW_ID,
  rebuildWorkflowId,
  REPROCESSING_ROLLBACKS,
  REPROCESSING_WORKFLOWS,
  uploadSessionWorkflowId,
  webhookWorkflowId,
} from './ids.ts';
import type { ImportTarget } from './import-image.ts';
import type { RebuildIndexInput, SyncIndexInput } from './indexes.ts';
import { named, type ProcessFileInput } from './process-file.ts';
import type { PurgeFilesInput } from './purge-files.ts';
import { taskPriority, type TaskPriority } from './queues.ts';
import type { ReprocessingTarget } from './reprocess-files.ts';
import { searchAttributes } from './search-attributes.ts';

/** Inputs of the workflows that are started with their own id, by type. */
export interface WorkflowInputs {
  processFile: ProcessFileInput;
  uploadSession: UploadSessionInput;
  directUpload: DirectUploadInput;
  importImage: ImportTarget;
  extractData: ExtractDataInput;
  answerQuestion: AnswerQuestionInput;
  drawPage: DrawPageInput;
  exportData: ExportDataInput;
  reprocessFiles: ReprocessingTarget;
  rollBackReprocessing: ReprocessingTarget;
  syncIndex: SyncIndexInput;
  rebuildIndex: RebuildIndexInput;
  purgeFiles: PurgeFilesInput;
  sendAccountMail: AccountMailToSend;
  deliverWebhook: DeliverWebhookInput;
}
export type WorkflowName = keyof WorkflowInputs;

/** Memo of a run whose row has generations, readable without its history. */
export interface GenerationMemo {
  generation: number;
  tenantId: string;
}

interface WorkflowStart<Input> {
  id: (input: Input) => string;
  /**
   * When the id may be reused. `never`: a repeated start finds the workflow started, even if it has ended.
   * `by_generation`: `never` for generation 1; later ones once the run of the previous generation has closed.
   * `joined` and `when_closed`: once the open run has closed; a start during it counts as started with
   * `joined`, and not with `when_closed`.
   */
  reuse: 'never' | 'by_generation' | 'joined' | 'when_closed';
  /** One line for operators, unless the caller gives a more specific one. */
  summary: (input: Input) => string;
  priority?: (input: Input) => TaskPriority;
  attributes?: (input: Input) => SearchAttributePair[];
  memo?: (input: Input) => GenerationMemo;
  /** Execution timeout. */
  timeout?: '24 hours';
}

export const WORKFLOWS: { readonly [Name in WorkflowName]: WorkflowStart<WorkflowInputs[Name]> } = {
  processFile: {
    id: ({ fileId }) => fileWorkflowId(fileId),
    reuse: 'by_generation',
    // The API also accepts the first eight characters of an id.
    summary: ({ mediaType, fileId, sessionId, generation }) =>
      `${mediaType} ${fileId.slice(0, 8)}${sessionId ? ' of a batch' : ''}, generation ${generation}`,
    priority: ({ priority, tenantId }) => taskPriority(priority, tenantId),
    attributes: ({ tenantId, sessionId, mediaType }) =>
      searchAttributes({ tenantId, sessionId, mediaType, unifiedStatus: 'queued' }),
    memo: ({ generation, tenantId }) => ({ generation, tenantId }),
  },
  uploadSession: {
    id: ({ sessionId }) => uploadSessionWorkflowId(sessionId),
    reuse: 'by_generation',
    summary: ({ generation }) => `Upload session, generation ${generation}`,
    priority: ({ tenantId }) => taskPriority('normal', tenantId),
    attributes: ({ tenantId, sessionId }) => searchAttributes({ tenantId, sessionId }),
    memo: ({ generation, tenantId }) => ({ generation, tenantId }),
  },
  directUpload: {
    id: ({ uploadId }) => directUploadWorkflowId(uploadId),
    reuse: 'never',
    summary: ({ mediaType }) => `Direct upload, ${mediaType}`,
    priority: ({ tenantId }) => taskPriority('normal', tenantId),
    attributes: ({ tenantId, sessionId, mediaType }) =>
      searchAttributes({ tenantId, sessionId, mediaType, unifiedStatus: 'uploading' }),
  },
  importImage: {
    id: ({ fileId }) => imageImportWorkflowId(fileId),
    reuse: 'never',
    summary: () => 'Import of an image from its URL',
    priority: ({ tenantId }) => taskPriority('interactive', tenantId),
    attributes: ({ tenantId }) => searchAttributes({ tenantId, mediaType: 'image' }),
  },
  extractData: {
    id: ({ extractionId }) => extractionWorkflowId(extractionId),
    reuse: 'never',
    summary: () => 'Extraction by a schema',
    priority: ({ priority, tenantId }) => taskPriority(priority, tenantId),
    attributes: ({ tenantId }) => searchAttributes({ tenantId }),
  },
  answerQuestion: {
    id: ({ answerId }) => answerWorkflowId(answerId),
    reuse: 'never',
    summary: () => 'Answer to a question about documents',
    priority: ({ tenantId }) => taskPriority('interactive', tenantId),
    attributes: ({ tenantId }) => searchAttributes({ tenantId }),
  },
  drawPage: {
    id: pageImageWorkflowId,
    // A page that is read again gets another picture.
    reuse: 'joined',
    summary: ({ pageNumber, width }) => `Picture of page ${pageNumber}, ${width} pixels wide`,
    priority: ({ tenantId }) => taskPriority('interactive', tenantId),
    attributes: ({ tenantId }) => searchAttributes({ tenantId }),
  },
  exportData: {
    id: ({ exportId }) => exportWorkflowId(exportId),
    reuse: 'never',
    summary: ({ format }) => `Export as ${format}`,
    priority: ({ tenantId }) => taskPriority('normal', tenantId),
    attributes: ({ tenantId }) => searchAttributes({ tenantId }),
    // Outages are waited out, but an export that is a day late is useless.
    timeout: '24 hours',
  },
  reprocessFiles: {
    id: ({ reprocessingId }) => REPROCESSING_WORKFLOWS.of(reprocessingId),
    reuse: 'never',
    summary: () => 'Files that are processed again',
    // Current uploads take precedence.
    priority: ({ tenantId }) => taskPriority('bulk', tenantId),
    attributes: ({ tenantId }) => searchAttributes({ tenantId }),
  },
  rollBackReprocessing: {
    id: ({ reprocessingId }) => REPROCESSING_ROLLBACKS.of(reprocessingId),
    // Requested again after one that failed.
    reuse: 'joined',
    summary: () => 'Former descriptions that are put back',
    priority: ({ tenantId }) => taskPriority('bulk', tenantId),
    attributes: ({ tenantId }) => searchAttributes({ tenantId }),
  },
  syncIndex: {
    id: ({ index, fileId }) => indexWorkflowId(index, fileId),
    reuse: 'joined',
    summary: ({ index }) => `Index of ${index} after a deletion or a restore`,
    // Interactive: a user has just changed the file.
    priority: ({ tenantId }) => taskPriority('interactive', tenantId),
  },
  rebuildIndex: {
    id: ({ index }) => rebuildWorkflowId(index),
    reuse: 'joined',
    summary: ({ index }) => `Rebuild of the index of ${index}`,
  },
  purgeFiles: {
    id: () => PURGE_NOW_ID,
    // An earlier purge may have other `days`.
    reuse: 'when_closed',
    summary: ({ days }) => `Purge of files deleted ${days} days ago or earlier`,
  },
  sendAccountMail: {
    id: accountMailWorkflowId,
    reuse: 'never',
    summary: ({ kind }) => `Email: ${kind.replaceAll('_', ' ')}`,
    priority: ({ tenantId }) => taskPriority('interactive', tenantId),
    // After a day, the user will have requested another one.
    timeout: '24 hours',
  },
  deliverWebhook: {
    id: ({ deliveryId }) => webhookWorkflowId(deliveryId),
    reuse: 'by_generation',
    summary: ({ type, generation }) =>
      generation === 1 ? `Delivery of ${type}` : `Delivery of ${type}, generation ${generation}`,
    // Deliveries report work and must not delay it.
    priority: ({ tenantId }) => taskPriority('bulk', tenantId),
    attributes: ({ tenantId }) => searchAttributes({ tenantId }),
    memo: ({ generation, tenantId }) => ({ generation, tenantId }),
  },
};

/**
 * Start options of a workflow, also as a child; without the queue and the reuse policy of the id.
 *
 * @param summary one line for operators; prefixed by the file name if the input has one
 */
export function workflowOptions<Name extends WorkflowName>(
  name: Name,
  input: WorkflowInputs[Name],
  summary?: string,
) {
  const { id, summary: ownSummary, priority, attributes, memo, timeout } = WORKFLOWS[name];
  const fileName = 'name' in input ? input.name : undefined;
  return {
    workflowId: id(input),
    args: [input] as [WorkflowInputs[Name]],
    staticSummary: named(fileName, summary ?? ownSummary(input)),
    ...(priority && { priority: priority(input) }),
    ...(attributes && { typedSearchAttributes: attributes(input) }),
    ...(memo && { memo: { ...memo(input) } }),
    ...(timeout && { workflowExecutionTimeout: timeout }),
  };
}
