import type { FailureReason } from '../../domain/components.ts';
import { printable } from '../../domain/text.ts';

import {
  ActivityFailure,
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';

/** The file's upload session is paused: the attempt that observes this is retried until the session is resumed. */
export const UPLOAD_SESSION_PAUSED = 'UPLOAD_SESSION_PAUSED';
/** The file's upload session was cancelled: the attempt that observes this cancels the run. */
export const UPLOAD_SESSION_CANCELLED = 'UPLOAD_SESSION_CANCELLED';

/**
 * The tenant uses its share of a worker while other tenants have work for it; retryable after a few seconds.
 */
export const FAIR_SHARE_EXCEEDED = 'FAIR_SHARE_EXCEEDED';

/** The site of a link is busy with other pages of the tenant; the crawl is retryable after a few seconds. */
export const HOST_BUSY = 'HOST_BUSY';

/** All browsers of the worker are busy with other pages; the step is retryable after a few seconds. */
export const BROWSER_BUSY = 'BROWSER_BUSY';

/** With skip_duplicates, another file has the content of a link. */
export const DUPLICATE_LINK = 'DUPLICATE_LINK';

const WAITS = new Set([UPLOAD_SESSION_PAUSED, FAIR_SHARE_EXCEEDED, HOST_BUSY, BROWSER_BUSY]);

/** Whether an attempt failed only because its work was not due yet, which is not an error of its step. */
export function isWait(code: string): boolean {
  return WAITS.has(code);
}

/**
 * A failure that no retry can change: the activity fails immediately and permanently. `expected` keeps it out of the
 * engine's warnings and failure metrics. `details` are shown to operators.
 */
export function permanentFailure(
  code: string,
  message: string,
  { cause, expected, details }: { cause?: Error; expected?: boolean; details?: unknown } = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    type: code,
    message,
    nonRetryable: true,
    ...(details !== undefined && { details: [details] }),
    ...(expected && { category: ApplicationFailureCategory.BENIGN }),
    ...(cause && { cause }),
  });
}

/** The type of the failure of a run that has recorded that its file failed; any other is a defect. */
export const FILE_FAILED = 'FILE_FAILED';

/**
 * A transient failure. `retryAfterSeconds` overrides the backoff of the activity options; `expected` keeps it out of
 * the engine's warnings and failure metrics.
 */
export function retryableFailure(
  code: string,
  message: string,
  options: { cause?: Error; retryAfterSeconds?: number; expected?: boolean } = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    type: code,
    message,
    ...(options.expected && { category: ApplicationFailureCategory.BENIGN }),
    ...(options.cause && { cause: options.cause }),
    ...(options.retryAfterSeconds !== undefined && {
      nextRetryDelay: `${options.retryAfterSeconds} seconds`,
    }),
  });
}

/** Whether a failure is part of normal operation, such as a paused session, or content in which nothing was found. */
export function isExpected(failure: unknown): boolean {
  return failure instanceof ApplicationFailure && failure.category === ApplicationFailureCategory.BENIGN;
}

/**
 * The human-readable reason of a failed activity or run. The workflow applies it to caught errors, the history fold to
 * recorded failures: both see the same failure objects.
 */
export function failureReason(failure: unknown): FailureReason {
  const { code, message } = plainReason(failure);
  return { code: printable(code, 100), message: printable(message) };
}

function plainReason(failure: unknown): FailureReason {
  const cause = causeOf(failure);
  if (cause instanceof ApplicationFailure) {
    return { code: cause.type ?? 'INTERNAL', message: cause.message };
  }
  if (cause instanceof TimeoutFailure) {
    return cause.timeoutType === 'HEARTBEAT'
      ? {
          code: 'WORKER_LOST',
          message: 'the worker vanished while it worked on this, each time it was tried',
        }
      : { code: 'TIMED_OUT', message: 'the work exceeded its time limit' };
  }
  if (cause instanceof CancelledFailure) return { code: 'CANCELLED', message: 'the work was cancelled' };
  if (cause instanceof TerminatedFailure)
    return { code: 'TERMINATED', message: 'the workflow was terminated' };
  return { code: 'INTERNAL', message: cause instanceof Error ? cause.message : 'unknown failure' };
}

/** Unwraps failures of activities and child workflows to their cause. */
function causeOf(failure: unknown): unknown {
  const wraps = failure instanceof ActivityFailure || failure instanceof ChildWorkflowFailure;
  return wraps && failure.cause ? causeOf(failure.cause) : failure;
}

/** Failures of one page that affect the whole document. */
const FATAL_TO_DOCUMENT = new Set([
  'FILE_GONE',
  UPLOAD_SESSION_CANCELLED,
  'ORIGINAL_MISSING',
  'DOCUMENT_ENCRYPTED',
  'DOCUMENT_BUDGET_SPENT',
]);

/** Whether no other page of the document can be read either. */
export function isFatalToDocument(code: string): boolean {
  return FATAL_TO_DOCUMENT.has(code);
}

/** Failures of one page after which nothing is left to do for its file. */
const END_OF_FILE = new Set(['FILE_GONE', UPLOAD_SESSION_CANCELLED]);

/** Whether the run of the file is over. */
export function isEndOfFile(code: string): boolean {
  return END_OF_FILE.has(code);
}

/** Whether a workflow could not be started because its id is or was in use. */
export function isAlreadyStarted(failure: unknown): boolean {
  return failure instanceof WorkflowExecutionAlreadyStartedError;
}
