import type { FailureReason } from '../../domain/components.ts';
import type { PriorityName } from './queues.ts';

/**
 * Input of `digitizeDocument`, id `digitization/{file_id}`, queue `workflows`, child of `processFile`: reads the pages of a
 * document that are still to be read, a bounded number at a time. Pages are rows: the history has their numbers alone. A
 * page that cannot be read fails by itself.
 */
export interface DigitizeDocumentInput {
  fileId: string;
  tenantId: string;
  generation: number;
  priority: PriorityName;
}

/** Pages that one activity reads. */
export interface PageBatch {
  /** `ocr` for a page without text. */
  work: 'cpu' | 'ocr';
  pages: number[];
}

/** What is left to read, and how far the document is. */
export interface PagePlan {
  /** None when every page has ended. */
  batches: PageBatch[];
  total: number;
  completed: number;
  failed: number;
  /** Numbers of the first pages that failed. */
  failedPages: number[];
}

/** What a workflow returns that is a step of `processFile`. */
export interface StepEnd {
  /** Why a part of its work is missing. */
  incomplete?: FailureReason;
}
