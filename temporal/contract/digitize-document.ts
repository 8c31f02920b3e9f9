import type { StepWorkflow } from '../../domain/pipelines/index.ts';
import type { FailureReason } from '../../domain/components.ts';
import type { PriorityName } from './queues.ts';

/**
 * Input of a workflow that is a step of a file: `digitizeDocument`, id `digitization/{file_id}`, and `extractBySchema`,
 * both on queue `workflows`, children of `processFile`.
 *
 * `digitizeDocument` reads the pages of a document that are still to be read, and has those laid out by a model whose
 * layout is due, a bounded number at a time. Pages are rows: the history has their numbers alone. A page that cannot be
 * read fails by itself.
 */
export interface StepWorkflowInput {
  fileId: string;
  tenantId: string;
  generation: number;
  priority: PriorityName;
  /** Provider of the model for the file: its queue takes the calls. */
  visionProvider: string;
}

/** Pages that count as a batch; they take a few milliseconds each. A longer batch counts as several. */
export const PAGES_A_BATCH = 16;

/** Pages of one activity. */
export interface PageBatch {
  /** `cpu` reads pages, `ocr` one without text, `vision` lays out one that was recognised. */
  work: 'cpu' | 'ocr' | 'vision';
  pages: number[];
}

/** The remaining work and the progress of the document. */
export interface PagePlan {
  /** None when every page has ended. */
  batches: PageBatch[];
  total: number;
  completed: number;
  failed: number;
  /** Pages that were read and are still to be laid out by a model. */
  layoutsDue: number;
  /** Numbers of the first pages that failed. */
  failedPages: number[];
}

/** The result of a workflow that is a step of `processFile`. */
export interface StepEnd {
  /** Why a part of its work is missing. */
  incomplete?: FailureReason;
}

/** The id of a workflow that is a step of a file. */
export const STEP_WORKFLOW_IDS: Readonly<Record<StepWorkflow, (fileId: string) => string>> = {
  digitizeDocument: (fileId) => `digitization/${fileId}`,
  extractBySchema: (fileId) => `schema-extraction/${fileId}`,
};
